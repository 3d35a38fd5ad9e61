import Foundation
import MobiusProcess

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A new folder that only this user can enter, for the fleet's sockets.
///
/// Creating one removes the folders beside it whose launchers were killed with SIGKILL.
package struct RuntimeDirectory: Sendable {
    /// The folder's absolute path.
    package let path: String
    /// Open and locked while the folder is in use, so that no other launcher removes it as abandoned.
    private let descriptor: Int32

    static let socketName = "fleet"
    /// The template for `mkdtemp`, which replaces the X's.
    static let template = prefix + "XXXXXX"
    /// The prefix of the names of all such folders.
    static let prefix = "mobius-"

    /// The socket for operators' commands inside such a folder.
    static func control(in folder: String) -> String { "\(folder)/control" }

    /// The endpoint inside the folder.
    package var endpoint: String { "ipc://\(path)/\(Self.socketName)" }

    /// An example of ``endpoint``; nothing is created.
    package static func exampleEndpoint(in environment: [String: String]) -> String {
        "ipc://\(parents(in: environment).first ?? FleetEnvironment.runtimeFolders(in: environment)[0])/\(template)/\(socketName)"
    }

    /// Creates the folder with mode 0700: in `MOBIUS_RUNTIME_DIR` if that is set; otherwise in the first of
    /// `XDG_RUNTIME_DIR`, `TMPDIR` and `/tmp` that is writable and short enough for a socket path.
    ///
    /// - Throws: `FleetExit` 73 when none of them is writable, or no descriptor is left.
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
            "No folder for the fleet's socket can be made in "
                + "\(FleetEnvironment.runtimeFolders(in: environment).joined(separator: " or ")); set \(FleetEnvironment.runtimeVariable) to a folder that "
                + "can be written, with an absolute path of at most \(Self.longest) bytes, or give the topology an "
                + "endpoint.")
    }

    /// Creates and locks a folder; tries again if another launcher has locked it first in order to remove it.
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

    /// The directories in which such folders are created; the first that works is used.
    static func parents(in environment: [String: String]) -> [String] {
        FleetEnvironment.runtimeFolders(in: environment).filter { $0.hasPrefix("/") && $0.utf8.count <= longest }
    }

    /// The clients' socket is beside the workers' and has the longer name.
    private static let longest = EndpointRule.longestSocketPath - "/\(template)/\(socketName)-client".utf8.count
}
