import Foundation

/// A folder that is gone when the last reference is.
public final class TestFolder: Sendable {
    /// Its path.
    public let path: String

    /// Makes an empty folder that others cannot enter, as sockets in it ask for.
    public init() throws {
        path = NSTemporaryDirectory() + "fleet-\(UUID().uuidString)"
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    /// The path of a file in it.
    public func file(_ name: String) -> String { path + "/" + name }

    /// Writes an executable `/bin/sh` script, which may be started at once.
    public func script(_ name: String, _ body: String) throws {
        let draft = file(name) + ".draft"
        try Data("#!/bin/sh\n\(body)\n".utf8).write(to: URL(fileURLWithPath: draft))
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: draft)
        defer { try? FileManager.default.removeItem(atPath: draft) }
        // A child that another test begins just now inherits what is open here until it becomes its program, and what
        // somebody has open for writing cannot be executed (ETXTBSY). So another process writes it.
        let copy = Process()
        copy.executableURL = URL(fileURLWithPath: "/bin/cp")
        copy.arguments = ["-p", draft, file(name)]
        try copy.run()
        copy.waitUntilExit()
        guard copy.terminationStatus == 0 else { throw CocoaError(.fileWriteUnknown) }
    }
}
