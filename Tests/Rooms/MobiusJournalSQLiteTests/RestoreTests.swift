import FleetTestSupport
import Foundation
import JournalStoreCompatibility
import MobiusJournal
import MobiusJournalSQLite
import MobiusWire
import TestTraits
import Testing

@Suite("A journal that is restored", .ownThread)
struct RestoreTests {
    private let folder: TestFolder
    private let backup: String
    private let target: String
    private let now = WallTime(milliseconds: 1_772_366_400_000)

    init() throws {
        folder = try TestFolder()
        backup = folder.file("backup")
        target = folder.file("a.journal")
        let journal = try SQLiteJournal(path: backup, application: "torture", build: "built so", keepsHistory: true)
        try journal.commit([History.start])
        try journal.commit(History.batch(after: 0, count: 10))
        try journal.save(History.snapshot(at: 10))
        try journal.commit(History.batch(after: 10, count: 5))
        journal.close()
    }

    @discardableResult
    private func restore(to path: String? = nil, at time: WallTime? = nil) throws -> JournalReport {
        let inspector = try JournalInspector(path: backup)
        defer { inspector.close() }
        return try inspector.restore(to: path ?? target, at: time ?? now)
    }

    @Test("holds all of the backup, under another name, and goes on with higher numbers")
    func whole() throws {
        let before = try Data(contentsOf: URL(fileURLWithPath: backup))
        let report = try restore()
        #expect(report.isSound && report.records == 17 && report.snapshots == 1)
        #expect(try Data(contentsOf: URL(fileURLWithPath: backup)) == before)
        #expect(try names(in: folder) == ["a.journal", "backup"])
        let (original, journal) = (try open(backup), try open(target))
        defer { original.close() }
        #expect(journal.identity != original.identity)
        #expect(journal.epoch > original.epoch)
        var events: [EventRecord] = []
        let recovered = try RecoveredLoop.read(.main, from: journal) { events.append($0) }.loop
        #expect(recovered.pending == History.pending(after: 15))
        #expect(events.map(\.sequence).prefix(5) == [11, 12, 13, 14, 15])
        let newest = try #require(events.last)
        #expect(
            events.count == 6 && newest.event == nil && newest.effects.isEmpty && newest.ends == nil
                && newest.time == now)
        #expect(newest.sequence > 1 << 28)
        #expect(try journal.hasApplied(key: "event 1", of: .main))
        #expect(try journal.builds(of: .main, in: 1...newest.sequence) == ["built so"])
        // And it goes on, over a snapshot and a start.
        func event(_ sequence: UInt64) -> JournalRecord {
            let event = Payload(kind: PayloadKind(type: "E"), bytes: [])
            return .event(
                EventRecord(
                    loop: .main, sequence: sequence, source: .outside("new \(sequence)"), event: event,
                    effects: [event], ends: nil))
        }
        try journal.commit([event(newest.sequence + 1)])
        let model = Payload(kind: PayloadKind(type: "M"), bytes: [])
        try journal.save(
            Snapshot(
                loop: .main, sequence: newest.sequence + 1, model: model, hash: FNV1a.hash([]),
                pending: recovered.pending
                    + [PendingEffect(id: EffectID(loop: .main, sequence: newest.sequence + 1, index: 0), effect: model)]
            ))
        try journal.commit([event(newest.sequence + 2)])
        journal.close()
        #expect(try last(target) == newest.sequence + 2)
        #expect(try JournalInspector(path: target).verify().findings == [])
    }

    @Test("names nothing as an earlier restoration did, of the same backup or of its own")
    func twice() throws {
        try restore()
        let first = try #require(try last(target))
        let later = folder.file("later")
        try restore(to: later, at: WallTime(milliseconds: now.milliseconds + 60_000))
        #expect(try #require(try last(later)) >= first + 1 << 28)
        // A journal that was restored is backed up and restored, by a calendar that is set back.
        let inspector = try JournalInspector(path: later)
        let third = folder.file("third")
        #expect(try inspector.restore(to: third, at: WallTime(milliseconds: 0)).isSound)
        #expect(try #require(try last(third)) >= (try #require(try last(later))) + 1 << 28)
    }

    @Test("replaces no file, and waits for no coordinator")
    func refusals() throws {
        try Data("precious".utf8).write(to: URL(fileURLWithPath: target))
        expect(.notWritable, "a.journal already") { try restore() }
        #expect(try Data(contentsOf: URL(fileURLWithPath: target)) == Data("precious".utf8))
        try FileManager.default.removeItem(atPath: target)
        try Data("precious".utf8).write(to: URL(fileURLWithPath: target + "-wal"))
        expect(.notWritable, "a.journal-wal", "move it away") { try restore() }
        try FileManager.default.removeItem(atPath: target + "-wal")
        // Somebody moved the file away under a coordinator.
        let running = try open(target)
        try FileManager.default.moveItem(atPath: target, toPath: folder.file("moved"))
        try? FileManager.default.moveItem(atPath: target + "-wal", toPath: folder.file("moved-wal"))
        expect(.held, "pid") { try restore() }
        running.close()
        expect(.notWritable, "folder") { try restore(to: folder.file("no/such/folder")) }
        try restore()
    }

    @Test("a gap that no restoration leaves is damage")
    func gap() throws {
        #expect(RecordPlace(sequence: 5 << 28, part: 0).follows(RecordPlace(sequence: 7, part: 3)))
        for (sequence, part) in [(5 << 28 + 1, 0), (9, 0), (5 << 28, 1), (0, 0)] as [(UInt64, UInt32)] {
            let place = RecordPlace(sequence: sequence, part: part)
            #expect(!place.follows(RecordPlace(sequence: 7, part: 3)))
        }
        let far = RecordPlace(sequence: 6 << 28, part: 0)
        #expect(!RecordPlace(sequence: 5 << 28, part: 0).follows(far) && !far.follows(far))
    }

    @Test("still forgets the oldest keys of too many")
    func keys() throws {
        try restore()
        let limits = JournalLimits(outsideKeys: 500, deadLetters: 2)
        let journal = try SQLiteJournal(path: target, application: "torture", build: "1", limits: limits)
        var last = try #require(try RecoveredLoop.read(.main, from: journal).loop.lastSequence)
        for _ in 0..<400 {
            try journal.commit(
                (1...10).map {
                    .event(
                        EventRecord(
                            loop: .main, sequence: last + $0, source: .outside("key \((last + $0) &* 7_919 % 10_007)"),
                            event: Payload(kind: PayloadKind(type: "E"), bytes: []), effects: [], ends: nil))
                })
            last += 10
            guard last % 200 < 10 else { continue }
            let model = Payload(kind: PayloadKind(type: "M"), bytes: [])
            try journal.save(Snapshot(loop: .main, sequence: last, model: model, hash: FNV1a.hash([]), pending: []))
        }
        let keys = try journal.outsideKeys(of: .main, limit: .max)
        #expect(keys.count >= 500 && keys.count < 1_500, "\(keys.count) keys")
        #expect(!keys.contains("event 1"))
        journal.close()
    }
}
