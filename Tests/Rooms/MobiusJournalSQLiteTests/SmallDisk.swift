import FleetTestSupport
import Foundation

/// A file system of its own in memory, gone with the last reference.
final class SmallDisk: Sendable {
    static let isPermitted = (try? SmallDisk(kibibytes: 64)) != nil

    let folder: TestFolder

    init(kibibytes: Int) throws {
        folder = try TestFolder()
        try mount("-t", "tmpfs", "-o", "size=\(kibibytes)k", "tmpfs")
    }

    deinit {
        try? Self.run("umount", [folder.path])
    }

    func mount(_ arguments: String...) throws {
        try Self.run("mount", arguments + [folder.path])
    }

    private static func run(_ command: String, _ arguments: [String]) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [command] + arguments
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw CocoaError(.fileWriteUnknown) }
    }
}
