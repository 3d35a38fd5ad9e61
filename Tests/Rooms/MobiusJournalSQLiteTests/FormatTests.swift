import FleetTestSupport
import Foundation
import GRDB
import JournalStoreCompatibility
import MobiusJournal
import MobiusJournalSQLite
import MobiusWire
import TestTraits
import Testing

/// The number of a journal's format: it says which programs can read all its records.
@Suite("The format of a journal", .ownThread)
struct FormatTests {
    private let folder: TestFolder
    private let path: String

    init() throws {
        folder = try TestFolder()
        path = folder.file("a.journal")
    }

    /// The format in the file's header, which an older program compares with the newest that it knows.
    private var format: Int {
        get throws { try DatabaseQueue(path: path).read { try Int.fetchOne($0, sql: "PRAGMA user_version") ?? 0 } }
    }

    private func commit(_ records: [JournalRecord]) throws {
        let journal = try open(path)
        defer { journal.close() }
        try journal.commit(records)
    }

    @Test("records that earlier programs read leave it as it is")
    func stays() throws {
        try commit([History.start])
        try commit(History.batch(after: 0, count: 5))
        #expect(try format == 3)
    }

    @Test("the first end of a loop raises it, so that earlier programs refuse the journal and do not call it damaged")
    func ended() throws {
        try commit([History.start])
        try commit(History.batch(after: 0, count: 5))
        let note = JournalRecord.note(
            EffectID(loop: .main, sequence: 5, index: 0),
            .loopEnded(mayBeginAgain: true, outstanding: 0, at: WallTime(milliseconds: 9)))
        try commit([note])
        #expect(try format == 4)
        let inspector = try JournalInspector(path: path)
        #expect(try inspector.info().format == 4)
        #expect(try inspector.verify().isSound)
        inspector.close()
        try commit([.event(EventRecord(loop: .main, sequence: 6, source: .start, event: nil, effects: [], ends: nil))])
        #expect(try format == 4)
    }

    @Test("so does the first event of another loop, in a commit of its own", arguments: [false, true])
    func sent(isKnown: Bool) throws {
        let journal = try open(path)
        try journal.commit([History.start])
        let kind = PayloadKind(type: "Text")
        if isKnown {
            // The loop and the kind are known then, so that one statement is enough for other events.
            let attempt = AttemptID(
                effect: EffectID(loop: .main, sequence: 0, index: 0), attempt: Attempt(epoch: 1, number: 1))
            try journal.commit([
                .event(
                    EventRecord(
                        loop: .main, sequence: 1, source: .report(attempt, number: 1),
                        event: Payload(kind: kind, bytes: [1]), effects: [], ends: nil))
            ])
        }
        let sender = try #require(LoopID("sender"))
        try journal.commit([
            .event(
                EventRecord(
                    loop: .main, sequence: isKnown ? 2 : 1,
                    source: .loop(EffectID(loop: sender, sequence: 0, index: 0)),
                    event: Payload(kind: kind, bytes: [1]), effects: [], ends: nil))
        ])
        journal.close()
        #expect(try format == 4)
        #expect(try last(path) == (isKnown ? 2 : 1))
    }
}
