import FleetTestSupport
import GRDB
import JournalStoreCompatibility
import MobiusJournal
import MobiusJournalSQLite
import MobiusWire
import TestTraits
import Testing

@Suite("What senders were told", .ownThread)
struct ReplyTests {
    private let folder: TestFolder
    private let path: String

    init() throws {
        folder = try TestFolder()
        path = folder.file("a.journal")
    }

    private func journal(keys: Int = 500) throws -> SQLiteJournal {
        try SQLiteJournal(
            path: path, application: "torture", build: "1", limits: JournalLimits(outsideKeys: keys, deadLetters: 2))
    }

    private func reply(_ sequence: UInt64) -> SenderReply {
        sequence.isMultiple(of: 3)
            ? .refusal("no \(sequence)")
            : .answer(Payload(kind: PayloadKind(type: "Answer"), bytes: Array("\(sequence)".utf8)))
    }

    private let mark = SenderMark(sender: 1, event: 2)

    private func event(_ sequence: UInt64) -> JournalRecord {
        var event = EventRecord(
            loop: .main, sequence: sequence, source: .outside("key \(sequence)"),
            event: Payload(kind: PayloadKind(type: "E"), bytes: []), effects: [], ends: nil)
        event.reply = reply(sequence)
        event.mark = mark
        return .event(event)
    }

    @Test("is forgotten with the keys, little by little")
    func trimmed() throws {
        let journal = try journal()
        try journal.commit([History.start])
        for sequence in stride(from: UInt64(10), through: 4_000, by: 10) {
            try journal.commit((sequence - 9...sequence).map(event))
            if sequence % 200 == 0 {
                let model = Payload(kind: PayloadKind(type: "M"), bytes: [])
                try journal.save(
                    Snapshot(loop: .main, sequence: sequence, model: model, hash: FNV1a.hash([]), pending: []))
            }
        }
        let keys = try journal.outsideKeys(of: .main, limit: .max)
        for sequence in 3_501...4_000 as ClosedRange<UInt64> {
            let expected = EventConfirmation(repeated: true, number: sequence, reply: reply(sequence))
            #expect(try journal.confirmation(of: "key \(sequence)", in: .main) == expected)
        }
        #expect(try journal.confirmation(of: "key 1", in: .main) == nil)
        journal.close()
        let database = try DatabaseQueue(path: path)
        let kept = try database.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM replies") } ?? 0
        try database.close()
        #expect(kept >= keys.count && kept < 2_500, "\(kept) replies of \(keys.count) keys")
        #expect(try JournalInspector(path: path).verify().findings == [])
    }

    @Test("is never another: damage is noticed")
    func damaged() throws {
        let journal = try journal()
        try journal.commit([History.start, event(1), event(2)])
        journal.close()
        try change(path, "UPDATE replies SET content = CAST('9' AS BLOB) WHERE sequence = 1")
        let inspector = try JournalInspector(path: path)
        defer { inspector.close() }
        expect(.damaged, "not what was written") { _ = try inspector.confirmation(of: "key 1", in: .main) }
        #expect(try inspector.confirmation(of: "key 2", in: .main)?.reply == reply(2))
    }
}
