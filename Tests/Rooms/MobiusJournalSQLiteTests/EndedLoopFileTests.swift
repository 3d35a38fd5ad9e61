import FleetTestSupport
import Foundation
import JournalStoreCompatibility
import MobiusJournal
import MobiusJournalSQLite
import MobiusWire
import TestTraits
import Testing

@Suite("Ended loops in a file", .ownThread)
struct EndedLoopFileTests {
    private let folder: TestFolder
    private let path: String
    private let end = EndedLoop(loop: .main, sequence: 5, time: WallTime(milliseconds: 9), mayBeginAgain: true)

    init() throws {
        folder = try TestFolder()
        path = folder.file("a.journal")
    }

    private var note: JournalRecord {
        .note(
            EffectID(loop: .main, sequence: 5, index: 0),
            .loopEnded(mayBeginAgain: true, outstanding: 0, at: end.time))
    }

    private func begin(_ journal: SQLiteJournal) throws {
        try journal.commit([History.start])
        try journal.commit(History.batch(after: 0, count: 5))
    }

    @Test("a loop that was committed last is removed: what SIGKILL leaves then has lost nothing")
    func removedLast() throws {
        let journal = try open(path)
        try begin(journal)
        try journal.commit([note])
        var parts = 1
        while try !journal.remove(ended: .main, rows: 32) { parts += 1 }
        #expect(parts < 10)
        let copy = folder.file("copy")
        for end in ["", "-wal", "-tail"] {
            try Data(contentsOf: URL(fileURLWithPath: path + end)).write(to: URL(fileURLWithPath: copy + end))
        }
        #expect(try last(copy) == nil)
        journal.close()
    }

    @Test("a restored journal has the end, behind which the loop begins again")
    func restored() throws {
        let journal = try open(path)
        try begin(journal)
        try journal.commit([note])
        journal.close()
        let inspector = try JournalInspector(path: path)
        let target = folder.file("new")
        let report = try inspector.restore(to: target, at: WallTime(milliseconds: 1_772_366_400_000))
        inspector.close()
        #expect(report.isSound, "\(report)")
        let copy = try open(target)
        let found = try #require(try copy.end(of: .main))
        #expect(found.sequence > 5 && found.time == end.time)
        try copy.commit([
            .event(
                EventRecord(
                    loop: .main, sequence: found.sequence + 1, source: .start, event: nil, effects: [], ends: nil))
        ])
        #expect(try RecoveredLoop.read(.main, from: copy).loop.lastSequence == found.sequence + 1)
        copy.close()
        let checked = try JournalInspector(path: target)
        #expect(try checked.verify().isSound)
        checked.close()
    }
}
