import FleetTestSupport
import Foundation
import JournalStoreCompatibility
import MobiusJournal
import MobiusJournalSQLite
import TestTraits
import Testing

@Suite("A journal that has another name, too")
struct OtherNamesTests {
    private let folder: TestFolder
    private let path: String
    private let other: String

    init() throws {
        folder = try TestFolder()
        path = folder.file("a.journal")
        other = folder.file("b.journal")
    }

    private func holder() async throws -> TestProcess {
        let process = try TestProcess("journal-torture", ["hold", path])
        try await process.output.wait { $0 == ["holding in epoch 1"] }
        return process
    }

    /// Expects that nobody gets in, neither this process nor another one.
    private func expectHeld(by holder: TestProcess, at path: String) async throws {
        expect(.held, "pid \(holder.pid)", "stop it first") { try open(path) }
        let second = try TestProcess("journal-torture", ["hold", path])
        #expect(try await second.end() == .exited(1))
        try await second.output.wait { $0.first?.hasPrefix("error held: ") == true }
        #expect(second.output.elements[0].contains("pid \(holder.pid)"))
    }

    @Test("is held under a hard link, until its holder is gone", .patient)
    func hardLink() async throws {
        let holder = try await holder()
        try FileManager.default.linkItem(atPath: path, toPath: other)
        try await expectHeld(by: holder, at: other)
        #expect(!FileManager.default.fileExists(atPath: other + "-lock"), "a refusal leaves nothing")
        try await holder.kill()
        try open(path).close()
    }

    @Test("is held where it was moved to, and its old name is", .patient)
    func moved() async throws {
        let holder = try await holder()
        for end in ["", "-wal", "-shm"] { try FileManager.default.moveItem(atPath: path + end, toPath: other + end) }
        try await expectHeld(by: holder, at: other)
        try await expectHeld(by: holder, at: path)
        try await holder.kill()
        let journal = try open(other)
        #expect(journal.epoch == 2)
        journal.close()
    }

    @Test(
        "is held where the file alone is mounted", .patient,
        .enabled(if: SmallDisk.isPermitted, "this user may not mount"))
    func bindMount() async throws {
        try open(path).close()
        try Data().write(to: URL(fileURLWithPath: other))
        let torture = try TestProcess.executable("journal-torture").path
        let mount = #"mount --bind "$1" "$2" && exec "$3" hold "$2""#
        let holder = try TestProcess(
            "/usr/bin/env",
            ["unshare", "-m", "--propagation", "private", "sh", "-c", mount, "sh", path, other, torture])
        try await holder.output.wait { $0 == ["holding in epoch 2"] }
        expect(.held, "pid \(holder.pid)") { try open(path) }
        try await holder.kill()
        try open(path).close()
    }

    @Test("in one process, too, and the first goes on")
    func oneProcess() throws {
        let journal = try open(path)
        try FileManager.default.linkItem(atPath: path, toPath: other)
        expect(.held, "This process (pid \(getpid()))") { try open(other) }
        try journal.commit([History.start])
        journal.close()
        #expect(try last(other) == 0)
    }

    @Test("is warned of on file systems of networks only")
    func networks() {
        for name in ["nfs4", "nfs", "cifs", "9p", "fuse.sshfs"] {
            #expect(NetworkFileSystem.name(ofType: Substring(name)) == name)
        }
        for name in ["ext4", "tmpfs", "overlay", "xfs", "fuse.fuse-overlayfs", "fuseblk"] {
            #expect(NetworkFileSystem.name(ofType: Substring(name)) == nil)
        }
    }

    @Test("has no link, pipe or folder beside it for a lock or a tail", arguments: ["-lock", "-tail"])
    func sideFiles(end: String) throws {
        let precious = folder.file("precious")
        let side = path + end
        func refuse(_ words: String) throws {
            expect(.notWritable, side, words) { try open(path) }
            #expect(try String(contentsOfFile: precious, encoding: .utf8) == "precious")
            try FileManager.default.removeItem(atPath: side)
        }
        try Data("precious".utf8).write(to: URL(fileURLWithPath: precious))
        try FileManager.default.createSymbolicLink(atPath: side, withDestinationPath: precious)
        try refuse("symbolic link")
        try FileManager.default.createSymbolicLink(atPath: side, withDestinationPath: folder.file("nowhere"))
        try refuse("symbolic link")
        try FileManager.default.linkItem(atPath: precious, toPath: side)
        try refuse("other names")
        #expect(mkfifo(side, 0o600) == 0)
        try refuse("not a regular file")
        #expect(!FileManager.default.fileExists(atPath: folder.file("nowhere")))
        try open(path).close()
    }
}
