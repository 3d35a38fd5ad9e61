import FleetTestSupport
import Foundation
import GRDB
import JournalStoreCompatibility
import MobiusJournal
import MobiusJournalSQLite
import MobiusWire
import TestTraits
import Testing

@Suite("A journal of format 2", .ownThread)
struct Format2Tests {
    private let folder: TestFolder
    private let path: String
    private let second = LoopID("second loop 🍏") ?? .main
    private let due = WallTime(milliseconds: 1_790_000_060_000)

    init() throws {
        folder = try TestFolder()
        path = folder.file("a.journal")
        let database = try DatabaseQueue(path: path)
        try database.writeWithoutTransaction { database in
            try database.execute(sql: Format2.sql)
            try database.execute(sql: "PRAGMA journal_mode = WAL")
        }
        try database.close()
    }

    private func payload(_ words: String) -> Payload {
        Payload(kind: PayloadKind(type: "Text"), bytes: Array(words.utf8))
    }

    private func binary(_ bytes: [UInt8]) -> Payload {
        let kind = PayloadKind(
            type: "Bytes\u{0}with a zero", version: .max, contentType: "application/octet-stream")
        return Payload(kind: kind, bytes: bytes)
    }

    private func effect(_ sequence: UInt64, _ index: UInt32 = 0) -> EffectID {
        EffectID(loop: .main, sequence: sequence, index: index)
    }

    private func event(
        _ sequence: UInt64, _ source: SourceKey, _ event: Payload?, _ effects: [Payload] = [], ends: EffectID? = nil,
        dues: [TimerDue] = []
    ) -> JournalRecord {
        .event(
            EventRecord(
                loop: .main, sequence: sequence, source: source, event: event, effects: effects, ends: ends,
                time: WallTime(milliseconds: 1_790_000_000_000 + Int64(sequence)), dues: dues))
    }

    private func letter(_ bytes: [UInt8], _ reason: String, round: UInt32) -> EffectNote {
        .died(
            DeadLetter(
                id: effect(0, 2), effect: binary(bytes), reason: reason, failures: 3, round: round, time: due))
    }

    /// All that the program of format 2 had written of the first loop.
    private var records: [JournalRecord] {
        let half = AttemptID(effect: effect(0), attempt: Attempt(epoch: 1, number: 1))
        return [
            event(
                0, .start, nil, [payload("fetch a"), payload("wait"), binary([0, 1, 2])],
                dues: [TimerDue(index: 1, due: due)]),
            event(1, .report(half, number: 1), payload("half of a")),
            .note(effect(0, 2), .started(Attempt(epoch: 1, number: 2))),
            .note(effect(0, 2), .setback(failures: 2)),
            .note(effect(0, 2), letter([0, 1, 2], "it broke 🍏", round: 0)),
            .note(effect(0, 2), .ended),
            event(2, .failure(effect(0, 2), round: 0), payload("failed")),
            .note(effect(0, 2), .revived(binary([9]), round: 1, at: due)),
            event(3, .timer(effect(0, 1), due: due), payload("time is up"), ends: effect(0, 1)),
            .note(effect(0, 2), letter([9], "again", round: 1)),
            .note(effect(0, 2), .ended), .note(effect(0, 2), .dropped),
            event(4, .outside("key\u{0} of 🍏"), payload("from outside"), [payload("go on")]),
            event(5, .outside("poison"), payload("poison")),
        ]
    }

    @Test("is read back as it was, and written on", arguments: [false, true])
    func readBack(isOlder: Bool) throws {
        // The first programs of format 2 had no such table.
        if isOlder { try change(path, "DROP TABLE revived_letters") }
        let journal = try SQLiteJournal(path: path, application: "torture", build: "3.0", keepsHistory: true)
        #expect(journal.epoch == 3)
        #expect(try journal.loops() == [.main, second])
        var tail: [JournalRecord] = []
        try journal.readTail(of: .main) { tail.append($0) }
        #expect(tail == [event(5, .outside("poison"), nil)], "it was skipped")
        #expect(try journal.newestSnapshot(of: .main)?.pending.map(\.id) == [effect(0), effect(4)])
        #expect(try journal.olderSnapshot(of: .main)?.sequence == 1)
        #expect(try journal.hasApplied(key: "key\u{0} of 🍏", of: .main))
        #expect(try journal.hasApplied(key: "k", of: second))
        #expect(try journal.crashes().map(\.breadcrumb.source) == [.outside("bad")])
        #expect(try journal.builds(of: .main, in: 0...5) == ["2.0", "2.1"])
        #expect(try !journal.wasRevived(effect(0, 2)))
        let next = event(6, .outside("more"), payload("more"))
        try journal.commit([next])
        journal.close()
        let inspector = try JournalInspector(path: path)
        defer { inspector.close() }
        let entries = try inspector.records(of: .main, limit: 99)
        #expect(entries.map(\.record) == records + [next])
        #expect(entries.map(\.epoch) == Array(repeating: 1, count: 9) + Array(repeating: 2, count: 5) + [3])
        #expect(entries.filter(\.isSkipped).map(\.sequence) == [5])
        #expect(try inspector.records(of: second, limit: 9).map(\.build) == ["2.0", "2.1"])
        // The history is made up: its effects and snapshots need not agree, but nothing may be missing or broken.
        let kinds = Set(try inspector.verify().findings.map(\.kind))
        #expect(kinds.isSubset(of: [.foreignEffect, .snapshot]), "\(kinds)")
        #expect(try inspector.info().format == 3)
    }

    @Test(
        "that is damaged is left as it was",
        arguments: ["UPDATE records SET event = x'00' WHERE sequence = 4", "DELETE FROM records WHERE sequence = 2"])
    func damaged(sql: String) throws {
        try change(path, sql)
        let before = try Data(contentsOf: URL(fileURLWithPath: path))
        expect(.damaged, "event") { try open(path) }
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
    }
}
