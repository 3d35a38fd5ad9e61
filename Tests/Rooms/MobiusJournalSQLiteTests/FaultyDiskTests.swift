import FaultyDisk
import FleetTestSupport
import Foundation
import JournalStoreCompatibility
import MobiusJournal
import MobiusJournalSQLite
import MobiusWire
import TestTraits
import Testing

@Suite("On a disk that fails", .ownThread)
struct FaultyDiskTests {
    private let folder: TestFolder
    private let path: String

    init() throws {
        folder = try TestFolder()
        path = folder.file("a.journal")
    }

    /// What must be there.
    private struct Expected {
        var last: UInt64?
        var epoch: UInt64 = 0
    }

    /// Commits, saves and forgets crashes as chance has it until something fails or the life is over; what returned must be there.
    private func live(_ disk: FaultyDisk, _ expected: inout Expected) throws {
        let journal = try open(path)
        defer { journal.close() }
        #expect(journal.epoch > expected.epoch)
        expected.epoch = journal.epoch
        let found = try RecoveredLoop.read(.main, from: journal).loop.lastSequence
        #expect((found.map { $0 + 1 } ?? 0) >= (expected.last.map { $0 + 1 } ?? 0), "acknowledged events are missing")
        expected.last = found
        if found == nil {
            try journal.commit([History.start])
            expected.last = 0
        }
        for _ in 0..<disk.draw(12) {
            let last = expected.last ?? 0
            do {
                switch disk.draw(6) {
                case 0: try journal.save(History.snapshot(at: last))
                case 1: try journal.forgetCrash(.start, of: .main)
                default:
                    let count = UInt64(1 + disk.draw(40))
                    try journal.commit(History.batch(after: last, count: count))
                    expected.last = last + count
                }
            } catch {
                // Not even closing the journal writes or syncs.
                let writes = disk.writes
                #expect(throws: JournalError.self) { try journal.commit(History.batch(after: last, count: 1)) }
                defer { #expect(disk.writes == writes) }
                throw error
            }
        }
    }

    @Test("nothing that was acknowledged is missing afterwards, or the opening says so", .patient)
    func drawn() throws {
        let seeds = ProcessInfo.processInfo.environment["FAULTY_DISK_SEEDS"].flatMap { UInt64($0) } ?? 6
        var (failures, cuts, told) = (0, 0, 0)
        for seed in 1...seeds {
            let disk = FaultyDisk(folder: folder.path, seed: seed)
            var expected = Expected()
            for _ in 0..<6 {
                disk.faults = .init(
                    sync: [0, 30, 150][disk.draw(3)], write: [0, 0, 20][disk.draw(3)], read: [0, 0, 10][disk.draw(3)],
                    lock: [0, 0, 50][disk.draw(3)])
                do { try live(disk, &expected) } catch is JournalError { failures += 1 }
                disk.faults = .init()
                guard disk.draw(2) == 0 else { continue }
                cuts += 1
                try disk.cutPower()
                try? FileManager.default.removeItem(atPath: path + "-shm")
                do {
                    try live(disk, &expected)
                } catch let error as JournalError {
                    #expect(error.code == .damaged, "seed \(seed): \(error)")
                    told += 1
                    break
                }
            }
            for name in try names(in: folder) { try FileManager.default.removeItem(atPath: folder.file(name)) }
        }
        #expect(failures > seeds / 2 && cuts > seeds, "or it was no bad disk: \(failures) failures, \(cuts) cuts")
        #expect(told == 0, "what is synced with care is never lost: \(told)")
    }

    @Test("what a failed sync left in memory only is written again before it is built upon")
    func pageCache() throws {
        let disk = FaultyDisk(folder: folder.path, seed: 1)
        var journal = try open(path)
        try journal.commit([History.start])
        disk.faults.sync = 1_000
        expect(.notWritable) { try journal.commit(History.batch(after: 0, count: 5)) }
        let writes = disk.writes
        journal.close()
        #expect(disk.writes == writes, "closing synced again")
        // The next start finds the five events in memory, and acknowledges what follows them.
        disk.faults.sync = 0
        journal = try open(path)
        let found = try #require(try RecoveredLoop.read(.main, from: journal).loop.lastSequence)
        try journal.commit(History.batch(after: found, count: 5))
        try disk.cutPower()
        let copy = folder.file("copy")
        for end in ["", "-wal", "-tail"] {
            try FileManager.default.copyItem(atPath: path + end, toPath: copy + end)
        }
        #expect(try last(copy) == found + 5)
        // And while the disk still fails, nobody gets in.
        disk.faults.sync = 1_000
        let other = folder.file("other")
        for end in ["", "-wal", "-tail"] {
            try FileManager.default.copyItem(atPath: path + end, toPath: other + end)
        }
        expect(.notWritable) { try open(other) }
        disk.faults.sync = 0
    }

    @Test("a log whose header is torn when it restarts has lost nothing")
    func tornRestart() throws {
        let disk = FaultyDisk(folder: folder.path, seed: 1)
        var journal = try open(path)
        try journal.commit([History.start])
        journal.close()
        // The opening copies all of the log into the file, so that the next commit restarts the log.
        journal = try open(path)
        disk.faults.write = 1_000
        expect(.notWritable) { try journal.commit(History.batch(after: 0, count: 1)) }
        journal.close()
        disk.faults.write = 0
        #expect(try last(path) == 0)
    }
}
