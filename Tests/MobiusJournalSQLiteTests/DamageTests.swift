import FleetTestSupport
import Foundation
import JournalStoreCompatibility
import MobiusJournal
import MobiusJournalSQLite
import MobiusWire
import Testing

@Suite("A damaged journal is never replayed")
struct DamageTests {
    private let folder: TestFolder
    private let path: String
    private let records: [JournalRecord]

    init() throws {
        folder = try TestFolder()
        path = folder.file("a.journal")
        records = [History.start] + History.batch(after: 0, count: 300)
        let journal = try open(path)
        try journal.commit(records)
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
            "DELETE FROM records WHERE sequence = 100",
            "DELETE FROM records WHERE sequence = 0",
            "UPDATE records SET event = x'00' WHERE sequence = 5",
            "UPDATE records SET effects = NULL WHERE sequence = 5",
            "UPDATE records SET ends = 1 - ends WHERE sequence = 9",
            "UPDATE records SET source = 9 WHERE sequence = 9",
            "UPDATE records SET effect_index = 1 WHERE sequence = 9",
            "UPDATE records SET epoch = 7 WHERE sequence = 9",
            "UPDATE records SET attempt = 7 WHERE sequence = 9",
            "UPDATE records SET number = 7 WHERE sequence = 9",
            "UPDATE records SET effect_sequence = 1 WHERE sequence = 300",
            "UPDATE records SET kind = 1 WHERE sequence = 9",
            "UPDATE records SET key = 'k' WHERE sequence = 1",
            "UPDATE records SET sequence = 1000 WHERE sequence = 300",
            "UPDATE records SET part = 1 WHERE sequence = 300",
            "UPDATE records SET sequence = -1 WHERE sequence = 300",
            "UPDATE kinds SET type = 'Other' WHERE id = 1",
            "UPDATE kinds SET version = 2 WHERE id = 1",
            "DELETE FROM kinds WHERE id = 1",
            "UPDATE records SET loop = 2 WHERE sequence = 300",
            "UPDATE loops SET name = 'mian'",
            "DROP TABLE records",
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
        try change(path, "UPDATE records SET event = 'my secret' WHERE sequence = 5")
        let (_, error) = try readAll()
        let text = try #require(error).description
        #expect(!text.contains("secret"))
        #expect(text.contains("near event 5"))
    }
}
