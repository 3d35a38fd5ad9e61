import FleetTestSupport
import Foundation
import JournalStoreCompatibility
import MobiusJournal
import MobiusJournalSQLite
import MobiusWire
import TestTraits
import Testing

@Suite("A process that is killed", .ownThread)
struct CrashTests {
    /// Everything a killed writer left: the last event, after each record was compared.
    private func recovered(_ path: String, epoch: UInt64) throws -> UInt64 {
        let journal = try open(path)
        defer { journal.close() }
        #expect(journal.epoch > epoch)
        var newest: EventRecord?
        let (snapshot, loop) = try RecoveredLoop.read(.main, from: journal) { record in
            guard record.sequence > 0 else { return }
            #expect(History.lastOfBatch(record) != nil, "event \(record.sequence) is not what was written")
            newest = record
        }
        if let snapshot { #expect(snapshot == History.snapshot(at: snapshot.sequence)) }
        if let older = try journal.olderSnapshot(of: .main) {
            #expect(older == History.snapshot(at: older.sequence))
            var checked = RecoveredLoop(loop: .main, snapshot: older)
            try journal.readBetweenSnapshots(of: .main) { try checked.apply($0) }
            #expect(checked.lastSequence == snapshot?.sequence)
            #expect(checked.pending == snapshot?.pending)
        }
        let last = try #require(loop.lastSequence)
        if let newest { #expect(History.lastOfBatch(newest) == last, "half a batch") }
        #expect(loop.pending == History.pending(after: last))
        return last
    }

    @Test("loses nothing that was committed and leaves no half batch", .patient)
    func killedWriter() async throws {
        let folder = try TestFolder()
        let path = folder.file("a.journal")
        for round in 1...12 {
            let process = try TestProcess("journal-torture", ["write", path])
            let lines = Int.random(in: 1...60)
            try await process.output.wait { $0.count >= lines }
            try await process.kill()
            let printed = process.output.elements
            let epoch = try #require(UInt64(printed[0].split(separator: " ")[1]))
            #expect(epoch >= round)
            let committed = printed.dropFirst().compactMap { UInt64($0) }.last ?? 0
            #expect(try recovered(path, epoch: epoch) >= committed)
        }
    }

    @Test("in the middle of compaction loses nothing that is needed", .patient)
    func killedCompaction() async throws {
        let folder = try TestFolder()
        let path = folder.file("a.journal")
        var first: UInt64 = 0
        var moved = 0
        for round in 1...12 {
            let process = try TestProcess("journal-torture", ["compact", path])
            let lines = Int.random(in: 20...60)
            try await process.output.wait { $0.count >= lines }
            try await process.kill()
            // As the killed process has left it, its log included.
            let inspector = try JournalInspector(path: path)
            #expect(try inspector.verify().findings == [])
            let loop = try #require(try inspector.info().loops.first)
            inspector.close()
            let begin = try #require(loop.firstSequence)
            #expect(begin >= first)
            if begin > first { moved += 1 }
            first = begin
            let committed = process.output.elements.dropFirst().compactMap { UInt64($0) }.last ?? 0
            #expect(try recovered(path, epoch: UInt64(2 * round - 1)) >= committed)
        }
        #expect(moved > 6, "or there was no compaction")
    }

    @Test("while history beyond a window is deleted keeps all of the window", .patient)
    func killedKeeper() async throws {
        let folder = try TestFolder()
        let path = folder.file("a.journal")
        var first: UInt64 = 0
        var moved = 0
        for _ in 1...12 {
            let process = try TestProcess("journal-torture", ["keep", path])
            let lines = Int.random(in: 20...60)
            try await process.output.wait { $0.count >= lines }
            try await process.kill()
            let inspector = try JournalInspector(path: path)
            defer { inspector.close() }
            #expect(try inspector.verify().findings == [])
            let loop = try #require(try inspector.info().loops.first)
            let (begin, last) = (try #require(loop.firstSequence), try #require(loop.lastSequence))
            #expect(begin >= first)
            if begin > first { moved += 1 }
            first = begin
            // An event counts as a second.
            let oldest = last - min(last, 1000)
            #expect(begin <= oldest)
            guard begin > 0 else { continue }
            let snapshot = try #require(try inspector.snapshot(of: .main, upTo: oldest))
            #expect(snapshot == History.snapshot(at: snapshot.sequence))
            #expect(snapshot.sequence + 1 >= begin)
            // Models can be computed from the oldest snapshot on.
            var next = try #require(try inspector.oldestSnapshot(of: .main)).sequence + 1
            while next <= last {
                let page = try inspector.entries(of: .main, JournalRange(from: next, limit: 1000))
                for entry in page.entries where entry.part == 0 {
                    #expect(entry.sequence == next)
                    next += 1
                }
                guard page.more else { break }
            }
            #expect(next == last + 1)
        }
        #expect(moved > 4, "or nothing was deleted")
    }

    @Test(
        "by an fsync that fails keeps what was committed and writes no more", .patient,
        arguments: [5, 14, 30])
    func failedSync(after count: Int) async throws {
        let folder = try TestFolder()
        let path = folder.file("a.journal")
        let process = try TestProcess("journal-torture", ["fail-fsync", path, "\(count)"])
        #expect(try await process.end() == .exited(1))
        try await process.output.wait { $0.last?.hasPrefix("error ") == true }
        let printed = process.output.elements
        #expect(printed.last?.hasPrefix("error notWritable: ") == true)
        let committed = printed.compactMap { UInt64($0) }.last ?? 0
        guard count > 5 else { return }
        // The commit whose fsync failed may be there or not, but whole.
        #expect(try recovered(path, epoch: 1) >= committed)
        let inspector = try JournalInspector(path: path)
        #expect(try inspector.verify().findings == [])
    }

    @Test("while it opens a new journal leaves one that opens", .patient)
    func killedAtBirth() async throws {
        let folder = try TestFolder()
        for round in 0..<12 {
            let path = folder.file("\(round).journal")
            let process = try TestProcess("journal-torture", ["write", path])
            // The moment at which the file, the log or the first line appears is a moment within the opening.
            let signs = [path, path + "-journal", path + "-wal", path + "-lock"]
            while !FileManager.default.fileExists(atPath: signs[round % 4]), process.output.elements.isEmpty {
                await Task.yield()
            }
            try await process.kill()
            _ = try last(path)
        }
    }

    @Test("holds the journal until then, and not a moment longer", .patient)
    func heldUntilKilled() async throws {
        let folder = try TestFolder()
        let path = folder.file("a.journal")
        let holder = try TestProcess("journal-torture", ["hold", path])
        try await holder.output.wait { $0 == ["holding in epoch 1"] }

        expect(.held, "pid \(holder.pid)", "stop it first") { try open(path) }
        let second = try TestProcess("journal-torture", ["hold", path])
        #expect(try await second.end() == .exited(1))
        try await second.output.wait { $0.first?.hasPrefix("error held: ") == true }
        #expect(second.output.elements[0].contains("pid \(holder.pid)"))

        try await holder.kill()
        let journal = try open(path)
        #expect(journal.epoch == 2)
        journal.close()
    }

    @Test("of many at one journal exactly one gets in", .patient)
    func stampede() async throws {
        let folder = try TestFolder()
        let path = folder.file("a.journal")
        let processes = try (0..<6).map { _ in try TestProcess("journal-torture", ["hold", path]) }
        for process in processes { try await process.output.wait { !$0.isEmpty } }
        let lines = processes.compactMap(\.output.elements.first)
        #expect(lines.count { $0.hasPrefix("holding") } == 1)
        #expect(lines.count { $0.hasPrefix("error held") } == 5)
        for process in processes where process.output.elements[0].hasPrefix("holding") { try await process.kill() }
    }
}
