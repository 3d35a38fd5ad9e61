import Foundation
import Synchronization

/// Counts requests for tests: one line per request, written before the answer is sent.
final class RequestLog: Sendable {
    private struct State {
        let file: FileHandle
        var count = 0
    }

    private let state: Mutex<State>
    private let pauses: Set<Int>

    /// Opens `path` for appending; throws when that cannot be done.
    ///
    /// - Parameter pauses: The numbers of the requests at which the process stops itself, until SIGCONT.
    init(path: String, pauses: [Int] = []) throws {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND, 0o644)
        guard descriptor >= 0 else { throw CocoaError(.fileWriteNoPermission, userInfo: [NSFilePathErrorKey: path]) }
        state = Mutex(State(file: FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)))
        self.pauses = Set(pauses)
    }

    func note(method: String, path: String) {
        state.withLock { state in
            // A test that reads the log detects that it could not be written.
            try? state.file.write(contentsOf: Data("\(method) \(path)\n".utf8))
            state.count += 1
            // With the lock held, so that no request after this one is noted before.
            if pauses.contains(state.count) { kill(getpid(), SIGSTOP) }
        }
    }
}
