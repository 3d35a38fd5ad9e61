import FleetTestSupport
import Foundation
import GRDB
import JournalStoreCompatibility
import MobiusJournal
import MobiusJournalSQLite
import MobiusWire
import TestTraits
import Testing

@Suite("Compaction", .ownThread)
struct CompactionTests {
    private let folder: TestFolder
    private let path: String

    init() throws {
        folder = try TestFolder()
        path = folder.file("a.journal")
    }

    private func number(_ sql: String) throws -> Int {
        let database = try DatabaseQueue(path: path)
        defer { try? database.close() }
        return try database.read { try Int.fetchOne($0, sql: sql) } ?? -1
    }

    /// Commits batches with a snapshot after each, up to the event `last`.
    private func write(
        _ journal: SQLiteJournal, from first: UInt64 = 0, to last: UInt64, batch: UInt64 = 100
    ) throws {
        if first == 0 { try journal.commit([History.start]) }
        for begin in stride(from: first, to: last, by: Int(batch)) {
            try journal.commit(History.batch(after: begin, count: batch))
            try journal.save(History.snapshot(at: begin + batch))
        }
    }

    @Test("deletes what no snapshot needs, and says from where on the journal goes")
    func deletes() throws {
        let journal = try open(path)
        try write(journal, to: 1_000)
        try journal.commit(History.batch(after: 1_000, count: 100))
        journal.close()
        // The snapshots stand at 900 and 1000; the rows end at each hundred.
        #expect(try number("SELECT min(sequence) FROM runs") == 801)
        #expect(try number("SELECT sum(count) FROM runs") == 300)
        #expect(try last(path) == 1_100)
        let inspector = try JournalInspector(path: path)
        defer { inspector.close() }
        let loop = try #require(try inspector.info().loops.first)
        #expect(loop.isCompacted && loop.firstSequence == 801 && loop.lastSequence == 1_100)
        #expect(loop.records == 300 && loop.snapshots == [900, 1_000])
        #expect(try inspector.verify().findings == [])
        #expect(try inspector.records(of: .main, limit: 1).map(\.sequence) == [801])
    }

    @Test("goes in small steps, and on where an earlier start left off")
    func steps() throws {
        let journal = try open(path)
        try write(journal, to: 4_000, batch: 2_000)
        try journal.commit(History.batch(after: 4_000, count: 10))
        journal.close()
        // At least four records went for each of these ten, up to the end of a row.
        let first = try number("SELECT min(sequence) FROM runs")
        #expect(first > 40 && first < 400)
        #expect(try JournalInspector(path: path).verify().findings == [])
        var last: UInt64 = 4_010
        while last < 5_000 {
            let journal = try open(path)
            for _ in 0..<5 {
                try journal.commit(History.batch(after: last, count: 100))
                last += 100
            }
            journal.close()
            #expect(try JournalInspector(path: path).verify().findings == [])
        }
        #expect(try number("SELECT min(last_sequence) FROM runs") == 2_000)
    }

    @Test("does nothing to a journal that keeps its history, and goes on when it no longer does")
    func keepsHistory() throws {
        let keeping = try SQLiteJournal(path: path, application: "torture", build: "1", keepsHistory: true)
        try write(keeping, to: 1_000)
        try keeping.commit(History.batch(after: 1_000, count: 100))
        keeping.close()
        #expect(try number("SELECT sum(count) FROM runs") == 1_101)
        let journal = try open(path)
        for last in stride(from: UInt64(1_100), to: 1_500, by: 100) {
            try journal.commit(History.batch(after: last, count: 100))
        }
        journal.close()
        #expect(try number("SELECT min(sequence) FROM runs") == 801)
        #expect(try JournalInspector(path: path).verify().findings == [])
    }

    @Test("uses its space again: the file stays small")
    func space() throws {
        var journal = try open(path)
        try write(journal, to: 2_000, batch: 200)
        journal.close()
        let small = try #require(try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int)
        journal = try open(path)
        try write(journal, from: 2_000, to: 6_000, batch: 200)
        journal.close()
        let size = try #require(try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int)
        #expect(size < small * 2, "a journal three times as long takes \(size) bytes after \(small)")
    }

    @Test("of one loop leaves the others alone")
    func otherLoops() throws {
        let other = try #require(LoopID("other"))
        let start = EventRecord(loop: other, sequence: 0, source: .start, event: nil, effects: [], ends: nil)
        let journal = try open(path)
        try journal.commit([.event(start)])
        try write(journal, to: 1_000)
        journal.close()
        let reopened = try open(path)
        defer { reopened.close() }
        var records: [JournalRecord] = []
        try reopened.readTail(of: other) { records.append($0) }
        #expect(records == [.event(start)])
    }

    @Test(
        "a beginning that is gone without compaction is damage",
        arguments: [
            "DELETE FROM runs WHERE sequence = 801", "DELETE FROM runs WHERE sequence < 1000",
            "UPDATE loops SET first_sequence = 901", "UPDATE loops SET first_part = 1", "DELETE FROM snapshots",
        ])
    func lostBeginning(sql: String) throws {
        let journal = try open(path)
        try write(journal, to: 1_000)
        try journal.commit(History.batch(after: 1_000, count: 100))
        journal.close()
        try change(path, sql)
        let inspector = try JournalInspector(path: path)
        defer { inspector.close() }
        #expect(try !inspector.verify().isSound)
        guard sql == "DELETE FROM snapshots" else { return }
        expect(.damaged, "were compacted away") { try last(path) }
    }

    @Test("forgets the oldest keys of too many, little by little")
    func keys() throws {
        func journal() throws -> SQLiteJournal {
            try SQLiteJournal(
                path: path, application: "torture", build: "1",
                limits: JournalLimits(outsideKeys: 500, deadLetters: 2))
        }
        var journal = try journal()
        func event(_ sequence: UInt64) -> JournalRecord {
            .event(
                EventRecord(
                    loop: .main, sequence: sequence, source: .outside("key \(sequence &* 7_919 % 10_007)"),
                    event: Payload(kind: PayloadKind(type: "E"), bytes: []), effects: [], ends: nil))
        }
        try journal.commit([History.start])
        for sequence in stride(from: UInt64(10), through: 4_000, by: 10) {
            try journal.commit((sequence - 9...sequence).map(event))
            if sequence % 200 == 0 {
                let model = Payload(kind: PayloadKind(type: "M"), bytes: [])
                try journal.save(
                    Snapshot(loop: .main, sequence: sequence, model: model, hash: FNV1a.hash([]), pending: []))
            }
            if sequence % 1_000 == 0 {
                journal.close()
                journal = try self.reopen(journal)
            }
        }
        let keys = try journal.outsideKeys(of: .main, limit: .max)
        #expect(keys.count >= 500 && keys.count < 1_500, "\(keys.count) keys")
        #expect(keys.suffix(500) == (3_501...4_000).map { "key \(UInt64($0) &* 7_919 % 10_007)" })
        let dead = (0..<4).map { EffectID(loop: .main, sequence: 1, index: $0) }
        for id in dead {
            try journal.commit([
                .note(
                    id,
                    .deadLettered(
                        DeadLetter(
                            id: id, effect: Payload(kind: PayloadKind(type: "E"), bytes: []), reason: "", failures: 1)))
            ])
        }
        #expect(try journal.deadLetters(of: .main, after: nil, limit: 9).map(\.id) == Array(dead[2...]))
        for id in dead.dropFirst() {
            let effect = Payload(kind: PayloadKind(type: "E"), bytes: [])
            try journal.commit([.note(id, .requeued(effect, round: 1, at: WallTime(milliseconds: 0)))])
        }
        #expect(try dead.map { try journal.wasRequeued($0) } == [false, false, true, true])
        journal.close()
        #expect(try JournalInspector(path: path).verify().findings == [])
    }

    private func reopen(_ journal: SQLiteJournal) throws -> SQLiteJournal {
        try SQLiteJournal(
            path: path, application: "torture", build: "1", limits: JournalLimits(outsideKeys: 500, deadLetters: 2))
    }
}
