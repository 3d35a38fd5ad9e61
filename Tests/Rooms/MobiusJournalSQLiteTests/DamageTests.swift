import FleetTestSupport
import Foundation
import JournalStoreCompatibility
import MobiusJournal
import MobiusJournalSQLite
import MobiusWire
import TestTraits
import Testing

@Suite("A damaged journal is never replayed", .ownThread)
struct DamageTests {
    private let folder: TestFolder
    private let path: String
    private let records: [JournalRecord]

    init() throws {
        folder = try TestFolder()
        path = folder.file("a.journal")
        // Rows of twenty events each.
        let batches = stride(from: UInt64(0), to: 300, by: 20).map { History.batch(after: $0, count: 20) }
        records = [History.start] + batches.joined()
        let journal = try open(path)
        for batch in [[History.start]] + batches { try journal.commit(batch) }
        journal.close()
    }

    /// Opens and reads everything; the records that came before an error, and the error.
    private func readAll() throws -> (records: [JournalRecord], error: JournalError?) {
        var read: [JournalRecord] = []
        do {
            let journal = try open(path)
            defer { journal.close() }
            _ = try journal.newestSnapshot(of: .main)
            try journal.readTail(of: .main) { read.append($0) }
            _ = try journal.outsideKeys(of: .main, limit: 1_000)
        } catch let error as JournalError {
            return (read, error)
        }
        return (read, nil)
    }

    @Test("the whole one is whole")
    func whole() throws {
        let (read, error) = try readAll()
        #expect(error == nil)
        #expect(read == records)
    }

    @Test("cut off at any page or within one", arguments: [2, 15, 99, 100, 4_095, 4_096, 20_000, 65_536, -1])
    func truncated(at size: Int) throws {
        let content = try Data(contentsOf: URL(fileURLWithPath: path))
        let size = size < 0 ? content.count + size : size
        try #require(size < content.count)
        try content.prefix(size).write(to: URL(fileURLWithPath: path))
        let (_, error) = try readAll()
        #expect(error?.code == .damaged, "\(error.map { "\($0)" } ?? "no error")")
    }

    @Test("a flipped bit anywhere gives damage or the whole journal, never a wrong record")
    func flipped() throws {
        let content = try Data(contentsOf: URL(fileURLWithPath: path))
        var found = 0
        let positions = stride(from: 0, to: content.count, by: 397)
        for position in positions {
            var broken = content
            broken[position] ^= 1 << (position % 8)
            try broken.write(to: URL(fileURLWithPath: path))
            let (read, error) = try readAll()
            // Where the bit is the application's id or name, the file has another owner now.
            if let error {
                #expect(error.code == .damaged || error.code == .foreign, "at \(position): \(error)")
                #expect(read == Array(records.prefix(read.count)), "at \(position)")
                found += 1
            } else {
                #expect(read == records, "at \(position)")
            }
            try? FileManager.default.removeItem(atPath: path + "-wal")
            try? FileManager.default.removeItem(atPath: path + "-shm")
        }
        #expect(found > 50, "or the flips hit nothing")
    }

    @Test(
        "records that a tool has changed",
        arguments: [
            "DELETE FROM runs WHERE sequence = 101",
            "DELETE FROM runs WHERE sequence = 0",
            "UPDATE runs SET content = x'00' WHERE sequence = 1",
            "UPDATE runs SET content = substr(content, 1, length(content) - 1) WHERE sequence = 1",
            "UPDATE runs SET content = '' WHERE sequence = 281",
            "UPDATE runs SET epoch = 7 WHERE sequence = 21",
            "UPDATE runs SET count = 19 WHERE sequence = 21",
            "UPDATE runs SET count = -1 WHERE sequence = 281",
            "UPDATE runs SET checksum = checksum + 1 WHERE sequence = 41",
            "UPDATE runs SET part = 1 WHERE sequence = 281",
            "UPDATE runs SET sequence = 1000 WHERE sequence = 281",
            "UPDATE runs SET sequence = -1 WHERE sequence = 281",
            "UPDATE runs SET last_sequence = 299 WHERE sequence = 281",
            "UPDATE runs SET last_part = 1 WHERE sequence = 281",
            "UPDATE kinds SET type = 'Other' WHERE id = 1",
            "UPDATE kinds SET version = 2 WHERE id = 1",
            "DELETE FROM kinds WHERE id = 1",
            "UPDATE runs SET id = id + 1 WHERE sequence = 281",
            "UPDATE loops SET name = 'mian'",
            "UPDATE loops SET id = 9223372036854775807",
            "UPDATE loops SET id = -1",
            "UPDATE runs SET count = 9223372036854775807 WHERE sequence > 200",
            "DROP TABLE runs",
            "UPDATE journal SET identity = 'x'",
            "PRAGMA user_version = 0",
        ])
    func changedByTool(sql: String) throws {
        try change(path, sql)
        let (read, error) = try readAll()
        #expect(error?.code == .damaged, "\(error.map { "\($0)" } ?? "no error")")
        #expect(read == Array(records.prefix(read.count)))
    }

    @Test(
        "snapshots that a tool has changed",
        arguments: [
            "UPDATE snapshots SET model = x'00'",
            "UPDATE snapshots SET hash = 0",
            "UPDATE snapshots SET pending = x'00'",
            "UPDATE snapshots SET sequence = 299",
            "UPDATE snapshots SET part = 1",
            "UPDATE snapshots SET kind = 1",
        ])
    func changedSnapshot(sql: String) throws {
        let journal = try open(path)
        try journal.save(History.snapshot(at: 300))
        journal.close()
        try change(path, sql)
        let (_, error) = try readAll()
        #expect(error?.code == .damaged, "\(error.map { "\($0)" } ?? "no error")")
    }

    @Test("an empty file beside a log that is not")
    func lostFile() throws {
        try Data("log".utf8).write(to: URL(fileURLWithPath: path + "-wal"))
        try Data().write(to: URL(fileURLWithPath: path))
        expect(.damaged, "-wal beside it is not", "restore") { try open(path) }
        #expect(try Data(contentsOf: URL(fileURLWithPath: path + "-wal")) == Data("log".utf8))
    }

    @Test("errors never show what an event holds")
    func secret() throws {
        try change(path, "UPDATE runs SET content = 'my secret' WHERE sequence = 41")
        let (_, error) = try readAll()
        let text = try #require(error).description
        #expect(!text.contains("secret"))
        #expect(text.contains("near event 41"))
    }
}
