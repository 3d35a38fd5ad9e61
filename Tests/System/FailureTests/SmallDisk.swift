import BankFleet
import FleetTestSupport
import Foundation

/// A small file system in memory, in a mount namespace of its own: it is gone when nobody uses it any more.
final class SmallDisk: Sendable {
    static let isPermitted: Bool = {
        #if os(Linux)
            let tools = ["/usr/bin/unshare", "/usr/bin/nsenter"].allSatisfy(FileManager.default.isExecutableFile)
            return tools && (try? run(["/usr/bin/unshare", "-m", "true"])) != nil
        #else
            return false
        #endif
    }()

    private let folder: TestFolder
    /// Keeps the namespace.
    private let holder: TestProcess

    init(kibibytes: Int) async throws {
        folder = try TestFolder()
        let script = "mount -t tmpfs -o size=\(kibibytes)k tmpfs '\(folder.path)' && echo mounted && exec cat"
        holder = try TestProcess(
            "/usr/bin/unshare", ["--mount", "--propagation", "private", "/bin/sh", "-c", script], input: .pipe)
        try await holder.says("mounted")
    }

    /// The command that runs another one where the disk is seen.
    var wrapper: [String] { ["/usr/bin/nsenter", "--mount", "--target", "\(holder.pid)"] }

    /// The path of a file on it, as seen by the wrapped.
    func path(_ name: String) -> String { folder.file(name) }

    /// Copies an SQLite file and its log to where everybody sees them.
    func copy(_ name: String, to other: TestFolder) throws -> String {
        let copy = other.file("copy-\(UUID().uuidString)")
        for suffix in ["", "-wal"] {
            let file = "/proc/\(holder.pid)/root\(folder.file(name + suffix))"
            guard FileManager.default.fileExists(atPath: file) else { continue }
            // Content only: to copy what a file in another namespace has besides fails now and then.
            try Data(contentsOf: URL(fileURLWithPath: file)).write(to: URL(fileURLWithPath: copy + suffix))
        }
        return copy
    }

    func enlarge(kibibytes: Int) throws {
        try Self.run(wrapper + ["mount", "-o", "remount,size=\(kibibytes)k", folder.path])
    }

    private static func run(_ command: [String]) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: command[0])
        process.arguments = Array(command.dropFirst())
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw CocoaError(.executableLoad) }
    }
}
