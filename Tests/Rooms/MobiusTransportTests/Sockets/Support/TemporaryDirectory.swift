import Foundation

/// A directory that only this user may enter, gone when the value is.
struct TemporaryDirectory: ~Copyable {
    let path: String

    init() throws {
        // Short, because the path of an ipc endpoint has at most 107 bytes.
        let name = "zmq-\(UInt64.random(in: 0..<1 << 40))"
        path = FileManager.default.temporaryDirectory.appending(path: name).path
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }

    deinit {
        // Left to the system when it cannot be removed.
        try? FileManager.default.removeItem(atPath: path)
    }
}
