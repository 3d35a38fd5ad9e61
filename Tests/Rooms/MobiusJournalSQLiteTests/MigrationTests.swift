import FleetTestSupport
import Foundation
import GRDB
import JournalStoreCompatibility
import MobiusJournal
import MobiusJournalSQLite
import MobiusWire
import TestTraits
import Testing

@Suite("A journal of format 1", .ownThread)
struct MigrationTests {
    private let folder: TestFolder
    private let path: String
    private let second = LoopID("second loop 🍏") ?? .main

    init() throws {
        folder = try TestFolder()
        path = folder.file("a.journal")
        let database = try DatabaseQueue(path: path)
        try database.writeWithoutTransaction { database in
            try database.execute(sql: Format1.sql)
            try database.execute(sql: "PRAGMA journal_mode = WAL")
        }
        try database.close()
    }

    private func payload(_ words: String) -> Payload {
        Payload(kind: PayloadKind(type: "Text"), bytes: Array(words.utf8))
    }

    private let binary = PayloadKind(
        type: "Bytes\u{0}with a zero", version: .max, contentType: "application/octet-stream")

    private func effect(_ sequence: UInt64, _ index: UInt32 = 0) -> EffectID {
        EffectID(loop: .main, sequence: sequence, index: index)
    }

    private func event(
        _ sequence: UInt64, _ source: SourceKey, _ event: Payload?, _ effects: [Payload] = [], ends: EffectID? = nil
    ) -> JournalRecord {
        .event(
            EventRecord(loop: .main, sequence: sequence, source: source, event: event, effects: effects, ends: ends))
    }

    private func snapshot(_ sequence: UInt64, _ pending: [PendingEffect]) -> Snapshot {
        let model = payload("model at \(sequence)")
        return Snapshot(
            loop: .main, sequence: sequence, model: model, hash: FNV1a.hash(model.bytes), pending: pending)
    }

    @Test("is read back as it was, and written on")
    func readBack() throws {
        let running = AttemptID(effect: effect(0, 2), attempt: Attempt(epoch: 2, number: 7))
        let left = PendingEffect(
            id: effect(0, 2), effect: payload("fetch b"), reported: ReportID(attempt: running, number: 3))
        let middle = [
            event(4, .failure(effect(0, 1), round: 0), payload("failed"), ends: effect(0, 1)),
            event(5, .report(running, number: 3), payload("a third of b")),
            event(6, .outside("second key"), payload("more from outside"), [payload("go on")]),
        ]
        var tail = [event(7, .outside("third key"), payload("last")), .note(effect(6), .ended)]
        for round in UInt64(0)..<2 {
            let journal = try open(path)
            defer { journal.close() }
            #expect(journal.epoch == 3 + round)
            #expect(journal.identity.description == "709869a6e4b36556bd9d4061a2fcf420")
            #expect(try journal.loops() == [.main, second])
            let older = snapshot(
                3,
                [
                    PendingEffect(id: effect(0, 1), effect: Payload(kind: binary, bytes: [])),
                    PendingEffect(id: effect(0, 2), effect: payload("fetch b")),
                ])
            #expect(try journal.olderSnapshot(of: .main) == older)
            let go = PendingEffect(id: effect(6), effect: payload("go on"))
            #expect(try journal.newestSnapshot(of: .main) == snapshot(6, [left, go]))
            var read: [JournalRecord] = []
            try journal.readBetweenSnapshots(of: .main) { read.append($0) }
            #expect(read == middle)
            read = []
            try journal.readTail(of: .main) { read.append($0) }
            #expect(read == tail)
            let others = try RecoveredLoop.read(second, from: journal).loop
            #expect(others.lastSequence == 1 && others.pending.map(\.effect) == [payload("greet")])
            #expect(
                try journal.outsideKeys(of: .main, limit: 9).prefix(3) == ["key\u{0} of 🍏", "second key", "third key"])
            #expect(try journal.hasApplied(key: "second key", of: second))
            #expect(try journal.builds(of: .main, in: 0...7) == ["1.0", "1.1"])
            #expect(try RecoveredLoop.read(.main, from: journal).loop.pending == [left])
            let more = event(8 + round, .outside("key \(round)"), payload("more"))
            try journal.commit([more])
            tail.append(more)
        }
        let inspector = try JournalInspector(path: path)
        #expect(try inspector.verify().findings == [])
        // Compaction leaves whole what was written in one epoch.
        #expect(try inspector.records(of: .main, limit: 99).first?.sequence == 0)
        inspector.close()
    }

    @Test("keeps its whole history when told to")
    func wholeHistory() throws {
        let journal = try SQLiteJournal(path: path, application: "torture", build: "2", keepsHistory: true)
        try journal.commit([event(8, .outside("k"), payload("more"))])
        journal.close()
        let inspector = try JournalInspector(path: path)
        defer { inspector.close() }
        let first = [
            event(0, .start, nil, [payload("fetch a"), Payload(kind: binary, bytes: []), payload("fetch b")]),
            event(
                1, .report(AttemptID(effect: effect(0), attempt: Attempt(epoch: 1, number: 1)), number: 1),
                payload("half of a")),
            event(
                2, .report(AttemptID(effect: effect(0), attempt: Attempt(epoch: 1, number: 1)), number: 2),
                Payload(kind: binary, bytes: Array("all of a".utf8)), [payload("store a")], ends: effect(0)),
            .note(effect(2), .ended), event(3, .outside("key\u{0} of 🍏"), payload("from outside")),
        ]
        let entries = try inspector.records(of: .main, limit: 5)
        #expect(entries.map(\.record) == first)
        #expect(entries.map(\.build) == Array(repeating: "1.0", count: 5))
        #expect(try inspector.verify().findings == [])
    }

    @Test("that is damaged is left as it was")
    func damaged() throws {
        try change(path, "UPDATE snapshots SET pending = x'00' WHERE id = 1")
        let before = try Data(contentsOf: URL(fileURLWithPath: path))
        expect(.damaged, "a snapshot is not what was written") { try open(path) }
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
        expect(.foreign, "format 1", "start yours on it once") { try JournalInspector(path: path) }
    }

    @Test("of another program is left as it was")
    func foreign() throws {
        let before = try Data(contentsOf: URL(fileURLWithPath: path))
        expect(.foreign, "belongs to torture") { try open(path, application: "another") }
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
    }
}
