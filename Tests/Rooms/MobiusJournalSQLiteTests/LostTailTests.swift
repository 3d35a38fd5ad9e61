import FleetTestSupport
import Foundation
import GRDB
import JournalStoreCompatibility
import MobiusJournal
import MobiusJournalSQLite
import MobiusWire
import TestTraits
import Testing

@Suite("A journal that lost what was committed last", .ownThread)
struct LostTailTests {
    private let folder: TestFolder
    private let path: String

    init() throws {
        folder = try TestFolder()
        path = folder.file("a.journal")
    }

    /// What SIGKILL leaves of a journal that is open: copies of its files.
    private func killed(_ journal: String? = nil, as name: String, without gone: [String] = []) throws -> String {
        let copy = folder.file(name)
        for end in ["", "-wal", "-tail"] where !gone.contains(end) {
            try Data(contentsOf: URL(fileURLWithPath: (journal ?? path) + end)).write(
                to: URL(fileURLWithPath: copy + end))
        }
        return copy
    }

    /// Opens a copy with another log: whether the opening told what is lost.
    ///
    /// All of what was acknowledged is there otherwise.
    private func isTold(_ log: Data?, acknowledged: UInt64, _ what: String) throws -> Bool {
        let copy = try killed(as: "copy")
        let file = URL(fileURLWithPath: copy + "-wal")
        if let log { try log.write(to: file) } else { try FileManager.default.removeItem(at: file) }
        defer { for end in ["", "-wal", "-tail", "-shm"] { try? FileManager.default.removeItem(atPath: copy + end) } }
        do {
            #expect(try last(copy) == acknowledged, "\(what)")
            return false
        } catch let error as JournalError {
            #expect(error.code == .damaged, "\(what): \(error)")
            #expect(error.message.contains("mobius journal restore") || error.message.contains("backup"), "\(error)")
            // A refusal leaves everything as it was.
            #expect((try? Data(contentsOf: file)) ?? Data() == log ?? Data(), "\(what)")
            return true
        }
    }

    @Test("says so for every sort of damage to the log, unless everything is there", .patient)
    func damages() throws {
        let journal = try open(path)
        defer { journal.close() }
        try journal.commit([History.start])
        for batch in 0..<12 { try journal.commit(History.batch(after: UInt64(batch * 3), count: 3)) }
        let log = try Data(contentsOf: URL(fileURLWithPath: path + "-wal"))
        #expect(try !isTold(log, acknowledged: 36, "the whole one"))
        var told = 0
        var count = 0
        func damage(_ log: Data?, _ what: String) throws {
            count += 1
            if try isTold(log, acknowledged: 36, what) { told += 1 }
        }
        for position in stride(from: 3, to: log.count, by: log.count / 23) {
            var flipped = log
            flipped[position] ^= 1 << (position % 8)
            try damage(flipped, "flipped at \(position)")
        }
        for size in stride(from: 0, to: log.count, by: log.count / 11) {
            try damage(log.prefix(size), "cut at \(size)")
        }
        for start in stride(from: 0, to: log.count - 4096, by: log.count / 7) {
            var zeroed = log
            zeroed.replaceSubrange(start..<start + 4096, with: Data(count: 4096))
            try damage(zeroed, "zeros at \(start)")
        }
        try damage(nil, "deleted")
        #expect(told == count, "nothing of this log is in the file")
    }

    @Test("where the log has been copied into the file before, too", .patient)
    func afterCheckpoint() throws {
        let journal = try open(path)
        defer { journal.close() }
        try journal.commit([History.start])
        var acknowledged: UInt64 = 0
        // Past 1,000 pages, at which the log begins anew.
        for _ in 0..<100 {
            try journal.commit(History.batch(after: acknowledged, count: 60))
            acknowledged += 60
        }
        let log = try Data(contentsOf: URL(fileURLWithPath: path + "-wal"))
        #expect(log.count > 1_000 * 4_096)
        #expect(try !isTold(log, acknowledged: acknowledged, "the whole one"))
        for position in stride(from: 40, to: log.count, by: log.count / 4) {
            var flipped = log
            flipped[position] ^= 4
            _ = try isTold(flipped, acknowledged: acknowledged, "flipped at \(position)")
        }
        _ = try isTold(nil, acknowledged: acknowledged, "deleted")
    }

    @Test("by SIGKILL and one flipped bit says which events are missing", .patient)
    func killedWriter() async throws {
        let process = try TestProcess("journal-torture", ["write", path])
        try await process.output.wait { $0.count >= 6 }
        try await process.kill()
        let acknowledged = try #require(process.output.elements.compactMap { UInt64($0) }.last)
        var log = try Data(contentsOf: URL(fileURLWithPath: path + "-wal"))
        // The first page of the log, behind which nothing is read.
        log[100] ^= 1
        try log.write(to: URL(fileURLWithPath: path + "-wal"))
        let inspector = try JournalInspector(path: path)
        let findings = try inspector.verify().findings
        #expect(findings.contains { $0.kind == .tail }, "\(findings)")
        expect(.damaged, "missing") { try inspector.backup(to: folder.file("backup")) }
        #expect(acknowledged > 0)
        expect(.damaged, "a.journal-wal", "mobius journal restore") { try open(path) }
        // The way on: what is left, under another name.
        let accepted = folder.file("accepted.journal")
        #expect(try inspector.restore(to: accepted, at: WallTime(milliseconds: 1_772_366_400_000)).isSound)
        inspector.close()
        let journal = try open(accepted)
        #expect(journal.epoch > 1)
        journal.close()
    }

    @Test("names the events of the loop and the writes that are no records")
    func words() throws {
        let journal = try open(path)
        try journal.commit([History.start])
        try journal.commit(History.batch(after: 0, count: 4))
        let early = try Data(contentsOf: URL(fileURLWithPath: path + "-wal"))
        try journal.commit(History.batch(after: 4, count: 3))
        var copy = try killed(as: "b.journal")
        try early.write(to: URL(fileURLWithPath: copy + "-wal"))
        expect(.damaged, "events 5 to 7 of loop main are missing") { try open(copy) }
        let late = try Data(contentsOf: URL(fileURLWithPath: path + "-wal"))
        _ = try journal.noteCrash(
            Breadcrumb(loop: .main, source: .start, event: nil), build: "1", epoch: 1, at: WallTime(milliseconds: 1))
        copy = try killed(as: "c.journal")
        try late.write(to: URL(fileURLWithPath: copy + "-wal"))
        expect(.damaged, "written in epoch 1, is missing") { try open(copy) }
        journal.close()
        #expect(try names(in: folder).filter { $0.hasPrefix("a.") } == ["a.journal"])
    }

    @Test("never counts the same epoch twice, even where the mark is gone, too")
    func youngJournal() throws {
        let journal = try open(path)
        let copy = try killed(as: "b.journal", without: ["-wal", "-tail"])
        let again = try open(copy)
        #expect(again.identity == journal.identity)
        #expect(again.epoch == 2)
        again.close()
        journal.close()
    }

    @Test("is no journal that was copied, restored or replaced by another one")
    func otherJournals() throws {
        let journal = try open(path)
        try journal.commit([History.start])
        try journal.commit(History.batch(after: 0, count: 4))
        // A copy without the mark.
        #expect(try last(try killed(as: "b.journal", without: ["-tail"])) == 4)
        // The mark of another journal.
        let copy = try killed(as: "c.journal")
        let other = try open(folder.file("other.journal"))
        try other.commit([History.start])
        try other.commit(History.batch(after: 0, count: 90))
        try FileManager.default.removeItem(atPath: copy + "-tail")
        try FileManager.default.copyItem(atPath: folder.file("other.journal-tail"), toPath: copy + "-tail")
        #expect(try last(copy) == 4)
        other.close()
        // A mark that is broken, and an older one, as a power cut leaves it.
        for content in [Data(), Data(count: 4096), Data(repeating: 255, count: 4096)] {
            let copy = try killed(as: "d.journal")
            try content.write(to: URL(fileURLWithPath: copy + "-tail"))
            #expect(try last(copy) == 4)
        }
        let mark = try Data(contentsOf: URL(fileURLWithPath: path + "-tail"))
        try journal.commit(History.batch(after: 4, count: 4))
        let late = try killed(as: "e.journal")
        try mark.write(to: URL(fileURLWithPath: late + "-tail"))
        #expect(try last(late) == 8)
        journal.close()
    }

    @Test("epochs that a tool has changed are damage")
    func epochs() throws {
        try open(path).close()
        try change(path, "UPDATE epochs SET build = 'another' WHERE epoch = 1")
        expect(.damaged, "epoch 1 is not what was written") { try open(path) }
        #expect(try JournalInspector(path: path).verify().findings.contains { $0.kind == .row })
    }

    @Test("another program's change is damage")
    func changedMeanwhile() throws {
        let journal = try open(path)
        try journal.commit([History.start])
        try change(path, "INSERT INTO runs SELECT id + 1, epoch, 1, 0, 1, 0, 1, 0, x'00' FROM runs")
        expect(.damaged, "Another program has changed the journal") {
            try journal.commit(History.batch(after: 0, count: 1))
        }
        journal.close()
    }
}
