import FleetTestSupport
import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A program by the name of a sound player that only notes what it is to play, in a folder that serves as `PATH`.
final class FakePlayer: Sendable {
    /// The value of `PATH` with which it is the only player.
    let path: String
    private let notes: String
    private let hangs: Bool

    /// - Parameters:
    ///   - hangs: It plays until it is killed.
    init(_ name: String, hangs: Bool = false, in folder: TestFolder) throws {
        self.hangs = hangs
        path = folder.file("bin")
        notes = folder.file("played")
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        let end = hangs ? "exec /bin/sleep 600" : ""
        try folder.script("bin/\(name)", "echo \"$$ $1\" >> '\(notes)'\n\(end)")
    }

    deinit {
        // Its starter may have been killed before it could kill it. Those that ended gave their ids back.
        guard hangs else { return }
        for note in played { if let pid = Int32(note.prefix { $0 != " " }) { kill(pid, SIGKILL) } }
    }

    private var played: [Substring] {
        (try? String(contentsOfFile: notes, encoding: .utf8))?.split(separator: "\n") ?? []
    }

    /// Waits until it plays the file.
    func plays(_ file: String) async throws {
        try await eventually("\(file) is played") { played.contains { $0.hasSuffix(" \(file)") } }
    }
}
