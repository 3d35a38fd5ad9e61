import Foundation
import MobiusCommand

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A fresh folder that only this user can enter, for the fleet's sockets.
///
/// Making one removes those that launchers ended by SIGKILL left beside it.
package struct RuntimeDirectory: Sendable {
    /// The folder's absolute path.
    package let path: String
    /// Open and locked while the folder is in use, so that nobody takes it for one that was left behind.
    private let descriptor: Int32

    static let socketName = "fleet"
    /// What `mkdtemp` replaces.
    static let template = prefix + "XXXXXX"
    /// What the names of all such folders begin with.
    static let prefix = "mobius-"

    /// The socket for operators' commands inside such a folder.
    static func control(in folder: String) -> String { "\(folder)/control" }

    /// The endpoint inside the folder.
    package var endpoint: String { "ipc://\(path)/\(Self.socketName)" }

    /// What ``endpoint`` will look like, without making anything.
    package static func exampleEndpoint(in environment: [String: String]) -> String {
        "ipc://\(parents(in: environment).first ?? wanted(in: environment)[0])/\(template)/\(socketName)"
    }

    /// Makes the folder (mode 0700): in `MOBIUS_RUNTIME_DIR`, where that is set; else in `XDG_RUNTIME_DIR`, `TMPDIR` or `/tmp`,
    /// whichever works first and is short enough for a socket.
    ///
    /// - Throws: `FleetExit` 73 when none of them can be written, or no descriptor is left.
    package init(in environment: [String: String]) throws {
        let parents = Self.parents(in: environment)
        for parent in parents {
            guard let (path, descriptor) = try Self.make(in: parent) else { continue }
            (self.path, self.descriptor) = (path, descriptor)
            AbandonedFolders.remove(in: parent)
            return
        }
        throw FleetExit(
            .cannotCreate,
            "No folder for the fleet's socket can be made in \(Self.wanted(in: environment).joined(separator: " or ")); set "
                + "\(Self.variable) to a folder that can be written, with an absolute path of at most \(Self.longest) bytes, "
                + "or give the topology an endpoint.")
    }

    /// A folder that no other launcher takes for an abandoned one: those hold its lock while they remove it.
    private static func make(in parent: String) throws -> (path: String, descriptor: Int32)? {
        for _ in 0..<100 {
            var name = Array("\(parent)/\(template)".utf8CString)
            guard mkdtemp(&name) != nil else { return nil }
            let path = String(decoding: name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
            if let descriptor = AbandonedFolders.lock(path) { return (path, descriptor) }
            let failure = SystemFailure()
            guard failure.code == EMFILE || failure.code == ENFILE else { continue }
            rmdir(path)
            throw FleetExit(.cannotCreate, "The folder for the fleet's socket cannot be opened: \(failure).")
        }
        return nil
    }

    /// Deletes the folder and what the processes left in it.
    package func remove() {
        try? FileManager.default.removeItem(atPath: path)
        close(descriptor)
    }

    /// Where such folders are made: the first that works.
    static func parents(in environment: [String: String]) -> [String] {
        wanted(in: environment).filter { $0.hasPrefix("/") && $0.utf8.count <= longest }
    }

    /// What names the only folder in which such folders are made, and looked for.
    private static let variable = "MOBIUS_RUNTIME_DIR"

    private static func wanted(in environment: [String: String]) -> [String] {
        if let only = environment[variable], !only.isEmpty { return [only] }
        return [environment["XDG_RUNTIME_DIR"], environment["TMPDIR"], "/tmp"].compactMap(\.self)
    }

    /// The clients' socket stands beside the workers', with the longer name.
    private static let longest = EndpointRule.longestSocketPath - "/\(template)/\(socketName)-client".utf8.count
}
