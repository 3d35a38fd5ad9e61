import FleetTestSupport
import Foundation
import GRDB
import JournalStoreCompatibility
import MobiusJournal
import MobiusJournalSQLite
import Testing

@Suite("A journal that cannot be opened says what to do")
struct RefusalTests {
    @Test(
        "where no file can be",
        arguments: [
            ("", "choose a --journal FILE"), ("missing/a.journal", "make the folder"),
            ("text/a.journal", "choose another --journal FILE"), ("folder", "it is a folder"),
            ("folder/", "it is a folder"), ("folder/..", "it is a folder"),
            ("circle", "choose another --journal FILE"),
            ("/dev/null", "not a regular file"), ("/proc/a.journal", "choose another --journal FILE"),
        ])
    func nowhere(path: String, advice: String) throws {
        let folder = try TestFolder()
        try FileManager.default.createDirectory(atPath: folder.file("folder"), withIntermediateDirectories: false)
        try Data("text".utf8).write(to: URL(fileURLWithPath: folder.file("text")))
        try FileManager.default.createSymbolicLink(atPath: folder.file("circle"), withDestinationPath: "circle")
        let full = path.isEmpty || path.hasPrefix("/") ? path : folder.file(path)
        expect(.notWritable, advice) { try open(full) }
        #expect(try names(in: folder) == ["circle", "folder", "text"])
    }

    @Test("a file that its owner made read-only", .enabled(if: geteuid() != 0, "root may write any file"))
    func readOnly() throws {
        let folder = try TestFolder()
        try open(folder.file("a.journal")).close()
        chmod(folder.file("a.journal"), 0o400)
        expect(.notWritable, "permission") { try open(folder.file("a.journal")) }
    }

    @Test("another program's journal, which is left as it was")
    func anotherProgram() throws {
        let folder = try TestFolder()
        let path = folder.file("a.journal")
        try open(path, application: "site-audit").close()
        let before = try Data(contentsOf: URL(fileURLWithPath: path))
        expect(.foreign, "belongs to site-audit, not to torture", "choose another --journal FILE") { try open(path) }
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
        #expect(try names(in: folder) == ["a.journal"])
        let journal = try open(path, application: "site-audit")
        #expect(journal.epoch == 2)
        journal.close()
    }

    @Test("another program's database, which is left as it was")
    func anotherDatabase() throws {
        let folder = try TestFolder()
        let path = folder.file("a.db")
        let database = try DatabaseQueue(path: path)
        try database.write { try $0.execute(sql: "CREATE TABLE addresses (name TEXT)") }
        try database.close()
        let before = try Data(contentsOf: URL(fileURLWithPath: path))
        expect(.foreign, "another program's database", "choose another --journal FILE") { try open(path) }
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
        #expect(try names(in: folder) == ["a.db"])
    }

    @Test("a journal of a newer format")
    func newer() throws {
        let folder = try TestFolder()
        let path = folder.file("a.journal")
        try open(path).close()
        try change(path, "PRAGMA user_version = 6")
        expect(.foreign, "format 6, this one knows 5", "use the newer program") { try open(path) }
    }

    @Test("a journal of a format before the first release", arguments: [1, 2])
    func older(format: Int) throws {
        let folder = try TestFolder()
        let path = folder.file("a.journal")
        try open(path).close()
        try change(path, "PRAGMA user_version = \(format)")
        expect(.damaged, "its format is number \(format)") { try open(path) }
        expect(.damaged, "its format is number \(format)") { try JournalInspector(path: path) }
    }

    @Test("a text file, which is left as it was")
    func text() throws {
        let folder = try TestFolder()
        let path = folder.file("a.txt")
        let content = Data(String(repeating: "Dear diary, ", count: 1_000).utf8)
        try content.write(to: URL(fileURLWithPath: path))
        expect(.damaged, "is not a journal", "choose another --journal FILE") { try open(path) }
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == content)
        #expect(try names(in: folder) == ["a.txt"])
    }

    @Test("a journal that a tool is writing")
    func busy() throws {
        let folder = try TestFolder()
        let path = folder.file("a.journal")
        try open(path).close()
        let tool = try DatabaseQueue(path: path)
        try tool.writeWithoutTransaction { database in
            try database.execute(sql: "BEGIN IMMEDIATE")
            expect(.held, "Another program is writing") { try open(path) }
            try database.execute(sql: "ROLLBACK")
        }
        #expect(try last(path) == nil)
    }
}

/// Changes a journal that is not open behind its back.
func change(_ path: String, _ sql: String) throws {
    let database = try DatabaseQueue(path: path)
    try database.writeWithoutTransaction { try $0.execute(sql: sql) }
    try database.close()
}
