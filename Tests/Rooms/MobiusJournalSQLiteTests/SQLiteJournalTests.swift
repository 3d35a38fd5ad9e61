import FleetTestSupport
import Foundation
import GRDB
import JournalStoreCompatibility
import MobiusJournal
import MobiusJournalSQLite
import MobiusWire
import TestTraits
import Testing

@Suite("The journal in a file", .ownThread)
struct SQLiteJournalTests {
    @Test("keeps every store's promises", arguments: JournalStoreCompatibility.checks)
    func promise(_ check: JournalStoreCompatibility.Check) throws {
        let folder = try TestFolder()
        try check.run { build in
            try SQLiteJournal(path: folder.file("a.journal"), application: "torture", build: build)
        }
    }

    @Test("keeps the history it should", arguments: JournalStoreCompatibility.windowChecks)
    func history(_ check: JournalStoreCompatibility.WindowCheck) throws {
        let folder = try TestFolder()
        let path = folder.file("a.journal")
        try check.run { history in
            try SQLiteJournal(path: path, application: "torture", build: "1", history: history)
        }
        #expect(try JournalInspector(path: path).verify().findings == [])
    }

    @Test("is one file when it is closed, for its owner's eyes only")
    func oneFile() throws {
        let folder = try TestFolder()
        let path = folder.file("a.journal")
        let journal = try open(path)
        try journal.commit([History.start] + History.batch(after: 0, count: 100))
        #expect(try names(in: folder).contains("a.journal-wal"))
        journal.close()
        #expect(try names(in: folder) == ["a.journal"])
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
    }

    @Test("is closed when it is dropped")
    func dropped() throws {
        let folder = try TestFolder()
        do {
            let journal = try open(folder.file("a.journal"))
            try journal.commit([History.start])
        }
        #expect(try names(in: folder) == ["a.journal"])
        #expect(try last(folder.file("a.journal")) == 0)
    }

    @Test("an empty file is a new journal")
    func emptyFile() throws {
        let folder = try TestFolder()
        try Data().write(to: URL(fileURLWithPath: folder.file("a.journal")))
        let journal = try open(folder.file("a.journal"))
        defer { journal.close() }
        #expect(journal.epoch == 1)
    }

    @Test(
        "records of one loop and one commit share a row, however they are mixed, and large ones have rows of their own")
    func rows() throws {
        let folder = try TestFolder()
        let path = folder.file("a.journal")
        let loops = try (0..<20).map { try #require(LoopID("loop \($0)")) }
        func event(_ loop: LoopID, _ sequence: UInt64, bytes: Int = 3) -> JournalRecord {
            let event = Payload(kind: PayloadKind(type: "E"), bytes: [UInt8](repeating: 7, count: bytes))
            return .event(
                EventRecord(
                    loop: loop, sequence: sequence, source: sequence == 0 ? .start : .outside("\(sequence)"),
                    event: sequence == 0 ? nil : event, effects: [], ends: nil))
        }
        let mixed = (0..<UInt64(30)).flatMap { sequence in loops.map { event($0, sequence) } }
        let large = (30..<UInt64(40)).map { event(loops[3], $0, bytes: 40 << 10) }
        let journal = try open(path)
        try journal.commit(Array(mixed.prefix(500)))
        try journal.commit(Array(mixed.dropFirst(500)))
        try journal.commit(large)
        for loop in loops {
            var read: [JournalRecord] = []
            try journal.readTail(of: loop) { read.append($0) }
            #expect(read == (mixed + large).filter { $0.loop == loop })
        }
        journal.close()
        let database = try DatabaseQueue(path: path)
        defer { try? database.close() }
        let counts = try database.read {
            try Int.fetchAll($0, sql: "SELECT count(*) FROM runs GROUP BY id >> 40 ORDER BY id")
        }
        // A row is closed when it has 64 KiB.
        #expect(counts == loops.map { $0 == loops[3] ? 2 + 5 : 2 })
    }

    @Test("two journals have two identities")
    func identities() throws {
        let folder = try TestFolder()
        let journals = [try open(folder.file("a.journal")), try open(folder.file("b.journal"))]
        #expect(journals[0].identity != journals[1].identity)
        for journal in journals { journal.close() }
    }

    @Test("a log that nobody reads does not grow without bound")
    func boundedLog() throws {
        let folder = try TestFolder()
        let journal = try open(folder.file("a.journal"))
        defer { journal.close() }
        try journal.commit([History.start])
        for last in stride(from: UInt64(0), to: 60_000, by: 200) {
            try journal.commit(History.batch(after: last, count: 200))
        }
        let sizes = try ["a.journal", "a.journal-wal"].map { name in
            try FileManager.default.attributesOfItem(atPath: folder.file(name))[.size] as? Int ?? 0
        }
        #expect(sizes[0] > 16 << 20, "or the test shows nothing")
        #expect(sizes[1] < 6 << 20)
    }

    @Test("older snapshots than the newest two make room")
    func snapshotsMakeRoom() throws {
        let folder = try TestFolder()
        let journal = try open(folder.file("a.journal"))
        let model = Payload(kind: PayloadKind(type: "Model"), bytes: [UInt8](repeating: 7, count: 1 << 20))
        let snapshot = Snapshot(
            loop: .main, sequence: 0, model: model, hash: FNV1a.hash(model.bytes), pending: [])
        try journal.commit([History.start])
        for _ in 0..<20 { try journal.save(snapshot) }
        journal.close()
        let size = try FileManager.default.attributesOfItem(atPath: folder.file("a.journal"))[.size] as? Int ?? 0
        #expect(size > 2 << 20 && size < 4 << 20)
    }

    @Test("a symbolic link leads to the journal, even to one that is yet to be made")
    func links() throws {
        let folder = try TestFolder()
        let manager = FileManager.default
        try manager.createDirectory(atPath: folder.file("real"), withIntermediateDirectories: false)
        try manager.createSymbolicLink(atPath: folder.file("folder"), withDestinationPath: "real")
        try manager.createSymbolicLink(atPath: folder.file("link"), withDestinationPath: "folder/a.journal")
        let journal = try open(folder.file("link"))
        #expect(try manager.contentsOfDirectory(atPath: folder.file("real")).contains("a.journal"))
        expect(.held, "pid \(ProcessInfo.processInfo.processIdentifier)") { try open(folder.file("real/a.journal")) }
        journal.close()
        #expect(try last(folder.file("link")) == nil)
    }

    @Test("after an error it refuses to write, with the same error, but reads")
    func afterError() throws {
        let folder = try TestFolder()
        let journal = try open(folder.file("a.journal"))
        defer { journal.close() }
        try journal.commit([History.start] + History.batch(after: 0, count: 1))
        // Somebody else's row stands where the next record belongs.
        let tool = try DatabaseQueue(path: folder.file("a.journal"))
        try tool.writeWithoutTransaction { database in
            try database.execute(sql: "UPDATE runs SET id = id + 1")
        }
        for records in [History.batch(after: 1, count: 1), History.batch(after: 2, count: 1)] {
            let error = #expect(throws: JournalError.self) { try journal.commit(records) }
            #expect(error?.code == .damaged)
            #expect(error?.message.contains("Another program has changed the journal") == true)
        }
        #expect(try journal.hasApplied(key: "event 1", of: .main))
        try tool.close()
    }

    /// What a lone event needs beside its own row.
    enum Need: String, CaseIterable {
        case loops, kinds, keys = "outside_keys"

        var record: JournalRecord {
            let kind = PayloadKind(type: self == .kinds ? "New" : "Event")
            return .event(
                EventRecord(
                    loop: self == .loops ? LoopID("new") ?? .main : .main, sequence: self == .loops ? 0 : 2,
                    source: self == .loops
                        ? .start
                        : self == .keys
                            ? .outside("new") : .failure(EffectID(loop: .main, sequence: 1, index: 0), round: 0),
                    event: self == .loops ? nil : Payload(kind: kind, bytes: [7]), effects: [], ends: nil))
        }
    }

    @Test("what a lone event needs beside its row is written with it, or not at all", arguments: Need.allCases)
    func loneEvents(_ need: Need) throws {
        let folder = try TestFolder()
        let journal = try open(folder.file("a.journal"))
        defer { journal.close() }
        try journal.commit([History.start] + History.batch(after: 0, count: 1))
        let tool = try DatabaseQueue(path: folder.file("a.journal"))
        try tool.writeWithoutTransaction { database in
            try database.execute(
                sql: "CREATE TRIGGER full BEFORE INSERT ON runs BEGIN SELECT RAISE(ABORT, 'no room'); END")
        }
        let count = { try tool.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM \(need.rawValue)") } }
        let before = try count()
        #expect(throws: JournalError.self) { try journal.commit([need.record]) }
        #expect(try count() == before)
        try tool.close()
    }

    @Test("keeps the names of a program and its build whole, with their NUL characters")
    func wholeNames() throws {
        let folder = try TestFolder()
        for epoch: UInt64 in 1...2 {
            let journal = try SQLiteJournal(
                path: folder.file("a.journal"), application: "torture\u{0}d", build: "test\u{0}\(epoch)")
            defer { journal.close() }
            #expect(journal.epoch == epoch)
            try journal.commit(epoch == 1 ? [History.start] : History.batch(after: 0, count: 1))
            #expect(try journal.builds(of: .main, in: 0...1) == (1...epoch).map { "test\u{0}\($0)" })
        }
        expect(.foreign, "belongs to torture\u{0}d") { try open(folder.file("a.journal")) }
    }

    @Test("a gap in a loop's events is a programmer error, across sessions too")
    func gap() async throws {
        let folder = try TestFolder()
        let path = folder.file("a.journal")
        let journal = try open(path)
        try journal.commit([History.start])
        journal.close()
        await #expect(processExitsWith: .failure) { [path = path as String] in
            try open(path).commit(History.batch(after: 1, count: 1))
        }
        #expect(try last(path) == 0)
    }

    @Test("so is a call after close")
    func closed() async throws {
        let folder = try TestFolder()
        await #expect(processExitsWith: .failure) { [path = folder.file("a.journal") as String] in
            let journal = try open(path)
            journal.close()
            try journal.commit([History.start])
        }
    }
}
