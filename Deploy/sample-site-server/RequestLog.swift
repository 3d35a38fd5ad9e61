import Foundation
import Synchronization

/// Counts requests for tests: one line per request, written before the answer is sent.
final class RequestLog: Sendable {
    private let file: Mutex<FileHandle>

    /// Opens `path` for appending; throws when that cannot be done.
    init(path: String) throws {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND, 0o644)
        guard descriptor >= 0 else { throw CocoaError(.fileWriteNoPermission, userInfo: [NSFilePathErrorKey: path]) }
        file = Mutex(FileHandle(fileDescriptor: descriptor, closeOnDealloc: true))
    }

    func note(method: String, path: String) {
        // A test that reads the log detects that it could not be written.
        file.withLock { try? $0.write(contentsOf: Data("\(method) \(path)\n".utf8)) }
    }
}
