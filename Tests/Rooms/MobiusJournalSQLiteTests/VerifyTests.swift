import FleetTestSupport
import Foundation
import GRDB
import JournalStoreCompatibility
import MobiusJournal
import MobiusJournalSQLite
import MobiusWire
import TestTraits
import Testing

@Suite("Verification", .ownThread)
struct VerifyTests {
    private let folder: TestFolder
    private let path: String

    init() throws {
        folder = try TestFolder()
        path = folder.file("a.journal")
    }

    /// A journal with something in every table.
    private func make() throws {
        let journal = try open(path)
        try journal.commit([History.start] + History.batch(after: 0, count: 300))
        try journal.save(History.snapshot(at: 300))
        for last in stride(from: UInt64(300), to: 400, by: 10) {
            try journal.commit(History.batch(after: last, count: 10))
        }
        try journal.save(History.snapshot(at: 400))
        let letter = DeadLetter(
            id: EffectID(loop: .main, sequence: 1, index: 0), effect: Payload(kind: PayloadKind(type: "T"), bytes: [1]),
            reason: "broken", failures: 3)
        try journal.commit([.note(letter.id, .deadLettered(letter))])
        _ = try journal.noteCrash(
            Breadcrumb(loop: .main, source: .outside("k"), event: letter.effect), build: "1", epoch: 1,
            at: WallTime(milliseconds: 1))
        journal.close()
    }

    private func verify() throws -> JournalReport {
        let inspector = try JournalInspector(path: path)
        defer { inspector.close() }
        return try inspector.verify()
    }

    @Test("finds nothing in a whole journal, and says how much it has read")
    func whole() throws {
        try make()
        let inspector = try JournalInspector(path: path)
        defer { inspector.close() }
        var total = 0
        let report = try inspector.verify { done, all in
            #expect(done <= all)
            total = all
        }
        #expect(report.findings == [] && report.isSound)
        #expect(report.loops == 1 && report.snapshots == 2)
        #expect(report.records == total && total > 200)
    }

    @Test(
        "finds damage of every kind",
        arguments: [
            (
                "UPDATE runs SET content = x'00' WHERE sequence = 351", JournalReport.Finding.Kind.row,
                UInt64?.some(351)
            ),
            ("UPDATE runs SET epoch = 5 WHERE sequence = 361", .row, 361),
            ("UPDATE runs SET last_part = 5 WHERE sequence = 361", .row, 361),
            ("UPDATE runs SET count = 9223372036854775807 WHERE sequence IN (351, 361)", .row, 361),
            ("DELETE FROM runs WHERE sequence = 351", .gap, 361),
            ("UPDATE runs SET id = id + (8 << 40) WHERE sequence = 351", .row, 351),
            ("DELETE FROM runs WHERE last_sequence > 391", .snapshot, 400),
            ("UPDATE loops SET name = 'mian'", .row, nil),
            ("UPDATE loops SET id = 9223372036854775807", .row, nil),
            ("UPDATE kinds SET version = 7 WHERE id = 1", .row, nil),
            ("UPDATE snapshots SET model = x'00' WHERE sequence = 300", .snapshot, nil),
            ("UPDATE snapshots SET pending = x'00' WHERE sequence = 400", .snapshot, nil),
            ("UPDATE outside_keys SET sequence = 1 WHERE key = 'event 398'", .table, nil),
            ("UPDATE outside_keys SET key = 'other' WHERE key = 'event 398'", .table, nil),
            ("DELETE FROM outside_keys WHERE key = 'event 398'", .table, 398),
            ("UPDATE dead_letters SET reason = 'other'", .table, nil),
            ("UPDATE dead_letters SET round = 4", .table, nil),
            ("UPDATE crashes SET count = 4", .table, nil),
            ("UPDATE crashes SET source = x'09'", .table, nil),
            ("DROP INDEX snapshots_order", .file, nil),
            ("DROP TABLE outside_keys", .file, nil),
        ])
    func planted(sql: String, kind: JournalReport.Finding.Kind, sequence: UInt64?) throws {
        try make()
        try change(path, sql)
        let report = try verify()
        let found = report.findings.map { "\($0.kind) \($0.sequence.map(String.init) ?? "-"): \($0)" }
        #expect(
            report.findings.contains { $0.kind == kind && (sequence == nil || $0.sequence == sequence) }, "\(found)")
        #expect(!report.isSound)
    }

    @Test("goes on behind what it finds")
    func several() throws {
        try make()
        try change(
            path,
            "UPDATE runs SET content = x'00' WHERE sequence IN (331, 371, 391); DELETE FROM runs WHERE sequence = 351"
        )
        let report = try verify()
        #expect(report.findings.map(\.sequence) == [331, 361, 371, 391])
    }

    @Test("finds pages that SQLite cannot read")
    func pages() throws {
        try make()
        var content = try Data(contentsOf: URL(fileURLWithPath: path))
        for position in stride(from: 5 * 4_096, to: 9 * 4_096, by: 1) { content[position] = 0xa5 }
        try content.write(to: URL(fileURLWithPath: path))
        #expect(try verify().findings.contains { $0.kind == .file })
    }

    @Test(
        "finds what no store would write: sources twice, foreign effects, snapshots that contradict", arguments: 0..<9)
    func contradictions(number: Int) throws {
        let journal = try open(path)
        let work = Payload(kind: PayloadKind(type: "T"), bytes: [1])
        func effect(_ sequence: UInt64, _ index: UInt32 = 0) -> EffectID {
            EffectID(loop: .main, sequence: sequence, index: index)
        }
        func report(_ sequence: UInt64, _ effect: EffectID, ends: Bool = true) -> JournalRecord {
            let attempt = AttemptID(effect: effect, attempt: Attempt(epoch: 1, number: 1))
            return .event(
                EventRecord(
                    loop: .main, sequence: sequence, source: .report(attempt, number: 1), event: work, effects: [],
                    ends: ends ? effect : nil))
        }
        func outside(_ sequence: UInt64, _ key: String) -> JournalRecord {
            .event(
                EventRecord(
                    loop: .main, sequence: sequence, source: .outside(key), event: work, effects: [], ends: nil))
        }
        try journal.commit([
            .event(
                EventRecord(loop: .main, sequence: 0, source: .start, event: nil, effects: [work, work], ends: nil)),
            outside(1, "k"),
        ])
        let time = WallTime(milliseconds: 5)
        let snapshot = Snapshot(
            loop: .main, sequence: 2, model: work, hash: FNV1a.hash(work.bytes),
            pending: [PendingEffect(id: effect(0, 1), effect: work)])
        let cases: [(JournalReport.Finding.Kind?, [JournalRecord])] = [
            (nil, [report(2, effect(0, 0))]),
            (.duplicateSource, [report(2, effect(0), ends: false), report(3, effect(0), ends: false)]),
            (.duplicateSource, [outside(2, "k")]),
            (.foreignEffect, [report(2, effect(0, 2))]),
            (.foreignEffect, [.note(effect(0, 0), .ended), report(2, effect(0, 0))]),
            (.snapshot, [report(2, effect(0, 1))]),
            (nil, [.note(.none(of: .main, at: 1), .loopEnded(mayBeginAgain: false, outstanding: 2, at: time))]),
            (nil, [.note(.none(of: .main, at: 1), .remarked(.acted("end", by: "", why: "", at: time)))]),
            (.foreignEffect, [.note(effect(1, 0), .loopEnded(mayBeginAgain: false, outstanding: 2, at: time))]),
        ]
        let (kind, records) = cases[number]
        try journal.commit(records)
        if number == 0 || number == 5 { try journal.save(snapshot) }
        journal.close()
        let found = try verify().findings
        #expect(found.map(\.kind) == (kind.map { [$0] } ?? []), "\(found)")
    }

    @Test("never shows what an event holds")
    func secret() throws {
        try make()
        try change(
            path,
            "UPDATE runs SET content = 'my secret' WHERE sequence = 351; UPDATE dead_letters SET reason = 'secret'")
        let report = try verify()
        #expect(report.findings.count == 2)
        #expect(!report.findings.contains { $0.description.contains("secret") })
    }
}
