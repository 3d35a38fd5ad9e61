import FleetTestSupport
import Foundation
import JournalStoreCompatibility
import MobiusJournal
import MobiusJournalSQLite
import MobiusWire
import TestTraits
import Testing

@Suite("A backup", .ownThread)
struct BackupTests {
    private let folder: TestFolder
    private let path: String
    private let target: String

    init() throws {
        folder = try TestFolder()
        path = folder.file("a.journal")
        target = folder.file("b.journal")
    }

    /// A journal of more pages than are copied in one go.
    private func fill() throws {
        let journal = try SQLiteJournal(path: path, application: "torture", build: "test", keepsHistory: true)
        try journal.commit([History.start])
        for last in stride(from: UInt64(0), to: 14_000, by: 200) {
            try journal.commit(History.batch(after: last, count: 200))
        }
        journal.close()
    }

    @Test("of a closed journal is the same journal, in one file, and the original is left alone")
    func closed() throws {
        try fill()
        let before = try Data(contentsOf: URL(fileURLWithPath: path))
        let inspector = try JournalInspector(path: path)
        var steps: [(done: Int, total: Int)] = []
        let report = try inspector.backup(to: target) { steps.append(($0, $1)) }
        #expect(report.isSound && report.records == 14_001)
        #expect(
            steps.count > 1 && steps.allSatisfy { $0.total == steps[0].total }
                && steps.map(\.done) == steps.map(\.done).sorted())
        #expect(steps.last?.done == steps.last?.total)
        inspector.close()
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
        #expect(try names(in: folder) == ["a.journal", "b.journal"])
        let mode = try FileManager.default.attributesOfItem(atPath: target)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        let (original, copy) = (try open(path), try open(target))
        #expect(copy.identity == original.identity && copy.epoch == original.epoch)
        #expect(try RecoveredLoop.read(.main, from: copy).loop.lastSequence == 14_000)
        try copy.commit(History.batch(after: 14_000, count: 5))
        copy.close()
        original.close()
        #expect(try last(target) == 14_005)
        #expect(try last(path) == 14_000)
    }

    @Test("of a journal that is being written holds what was committed before it began", .patient)
    func live() async throws {
        try fill()
        let writer = try TestProcess("journal-torture", ["write", path])
        for round in 0..<4 {
            let lines = writer.output.elements.count + 3
            try await writer.output.wait { $0.count >= lines }
            let committed = try #require(writer.output.elements.compactMap { UInt64($0) }.last)
            let inspector = try JournalInspector(path: path)
            let copy = folder.file("copy \(round)")
            #expect(try inspector.backup(to: copy).findings == [])
            inspector.close()
            let journal = try open(copy)
            let (_, loop) = try RecoveredLoop.read(.main, from: journal) { record in
                guard record.sequence > 0 else { return }
                #expect(History.lastOfBatch(record) != nil)
            }
            let end = try #require(loop.lastSequence)
            #expect(end >= committed)
            #expect(loop.pending == History.pending(after: end))
            journal.close()
        }
        try await writer.kill()
        #expect(try #require(try last(path)) >= #require(writer.output.elements.compactMap { UInt64($0) }.last))
    }

    @Test(
        "that is killed in the middle leaves nothing that looks like one, and the next one succeeds",
        .patient)
    func killed() async throws {
        try fill()
        for _ in 0..<2 {
            let process = try TestProcess("journal-torture", ["backup", path, target])
            try await process.output.wait { $0.first?.hasPrefix("copied ") == true }
            #expect(try names(in: folder).contains("b.journal-partial"))
            let inspector = try JournalInspector(path: path)
            expect(.held, "Another command is writing") { try inspector.backup(to: target) }
            inspector.close()
            try await process.kill()
            #expect(try !names(in: folder).contains("b.journal"))
        }
        let inspector = try JournalInspector(path: path)
        #expect(try inspector.backup(to: target).isSound)
        #expect(try names(in: folder) == ["a.journal", "b.journal"])
        #expect(try last(target) == 14_000)
    }

    @Test("never replaces a file")
    func existing() throws {
        try fill()
        let inspector = try JournalInspector(path: path)
        defer { inspector.close() }
        for name in ["file", "folder", "link"] {
            let target = folder.file(name)
            switch name {
            case "file": try Data("precious".utf8).write(to: URL(fileURLWithPath: target))
            case "folder": try FileManager.default.createDirectory(atPath: target, withIntermediateDirectories: false)
            default: try FileManager.default.createSymbolicLink(atPath: target, withDestinationPath: "nowhere")
            }
            expect(.notWritable, "There is a file", "another name") { try inspector.backup(to: target) }
        }
        expect(.notWritable, "choose a folder that exists") { try inspector.backup(to: folder.file("missing/b")) }
        #expect(try Data(contentsOf: URL(fileURLWithPath: folder.file("file"))) == Data("precious".utf8))
        #expect(try !names(in: folder).contains { $0.hasSuffix("-partial") })
    }

    @Test("of a damaged journal does not get its name")
    func damaged() throws {
        try fill()
        try change(path, "UPDATE runs SET content = x'00' WHERE sequence = 1")
        let inspector = try JournalInspector(path: path)
        defer { inspector.close() }
        #expect(try inspector.backup(to: target).findings.map(\.sequence) == [1])
        #expect(try names(in: folder) == ["a.journal", "b.journal-partial"])
    }

    @Test(
        "on a disk that is full says so", .patient,
        .enabled(if: SmallDisk.isPermitted, "this user may not mount a small file system"))
    func fullDisk() throws {
        try fill()
        let disk = try SmallDisk(kibibytes: 600)
        let inspector = try JournalInspector(path: path)
        defer { inspector.close() }
        let target = disk.folder.file("b.journal")
        let error = #expect(throws: JournalError.self) { try inspector.backup(to: target) }
        let words = "\(error.map { "\($0)" } ?? "")"
        #expect(error?.code == .notWritable, "\(words)")
        #expect(words.hasPrefix("The disk is full, so the journal \(target)-partial cannot be written"), "\(words)")
        #expect(words.contains("SQLite error 13: database or disk is full"), "\(words)")
        #expect(try names(in: disk.folder) == ["b.journal-partial"])
    }
}
