import FleetTestSupport
import Foundation
import JournalStoreCompatibility
import MobiusJournal
import MobiusJournalSQLite
import TestTraits
import Testing

@Suite("A disk that takes no more")
struct FullDiskTests {
    @Test("stops the writer with what to do, and keeps what was committed", .patient)
    func limitedFile() async throws {
        let folder = try TestFolder()
        let path = folder.file("a.journal")
        let process = try TestProcess("journal-torture", ["write", path, "400000"])
        #expect(try await process.end() == .exited(1))
        try await process.output.wait { $0.last?.hasPrefix("error ") == true }
        let printed = process.output.elements
        #expect(printed.last?.hasPrefix("error notWritable: ") == true)
        let committed = try #require(printed.compactMap { UInt64($0) }.last)
        #expect(try last(path) == committed)
    }

    @Test(
        "the same when it is the file system that is full", .patient,
        .enabled(if: SmallDisk.isPermitted, "this user may not mount a small file system"))
    func fullDisk() async throws {
        let disk = try SmallDisk(kibibytes: 600)
        let path = disk.folder.file("a.journal")
        let process = try TestProcess("journal-torture", ["write", path])
        #expect(try await process.end() == .exited(1))
        try await process.output.wait { $0.last?.hasPrefix("error ") == true }
        let printed = process.output.elements
        #expect(printed.last?.hasPrefix("error notWritable: The disk is full") == true, "\(printed.last ?? "")")
        let committed = try #require(printed.compactMap { UInt64($0) }.last)

        try disk.mount("-o", "remount,size=8m")
        #expect(try last(path) == committed)
        try disk.mount("-o", "remount,ro")
        expect(.notWritable, "read-only") { try open(path) }
    }
}
