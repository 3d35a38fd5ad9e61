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

    /// Writes an executable `/bin/sh` script.
    public func script(_ name: String, _ body: String) throws {
        try Data("#!/bin/sh\n\(body)\n".utf8).write(to: URL(fileURLWithPath: file(name)))
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: file(name))
    }
}
