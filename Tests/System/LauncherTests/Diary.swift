import Foundation
import MobiusLauncher
import Synchronization
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// What the scripts of a stage say, in order: a named pipe that they write lines into.
///
/// Lines shorter than a pipe's atomic size do not mix, and arrive in the order in which they were written.
final class Diary: Sendable {
    private let lines: Mutex<[String]> = Mutex([])
    private let pipe: NamedPipe

    init(_ stage: Stage) throws {
        pipe = try NamedPipe(stage.path("diary"), keepsOpen: true)
    }

    /// Everything read so far.
    var entries: [String] { lines.withLock { $0 } }

    /// Waits for the next entry that begins with the words; returns what follows them.
    ///
    /// The test's time limit is the deadline. Entries before it are passed over, and stay in ``entries``.
    @discardableResult
    func next(_ words: String) async throws -> String {
        while let line = await pipe.nextLine() {
            lines.withLock { $0.append(line) }
            if line.hasPrefix(words) {
                return line.dropFirst(words.count).trimmingCharacters(in: .whitespaces)
            }
        }
        Issue.record("waited in vain for '\(words)'; the diary is \(entries)")
        throw CancellationError()
    }

    /// Waits for the next entry with a pid after the words.
    func nextPid(_ words: String) async throws -> Int32 {
        try #require(Int32(try await next(words)))
    }
}

/// A named pipe that many processes may write into.
final class NamedPipe: Sendable {
    private let poller: ReadPoller
    private let stream: AsyncStream<String>

    /// Makes the pipe.
    ///
    /// - Parameter keepsOpen: Whether it goes on when no writer is left; otherwise the lines end then.
    init(_ path: String, keepsOpen: Bool) throws {
        guard mkfifo(path, 0o600) == 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
        let descriptor = open(path, (keepsOpen ? O_RDWR : O_RDONLY) | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
        let (stream, feed) = AsyncStream.makeStream(of: String.self)
        self.stream = stream
        let partial = Mutex("")
        poller = try ReadPoller(queue: DispatchQueue(label: "pipe"))
        _ = poller.add(descriptor) { [weak poller] number in
            var buffer = [UInt8](repeating: 0, count: 65_536)
            let count = read(descriptor, &buffer, buffer.count)
            if count == 0 {
                poller?.remove(number)
                return feed.finish()
            }
            guard count > 0 else { return }
            partial.withLock { partial in
                partial += String(decoding: buffer[..<count], as: UTF8.self)
                while let end = partial.firstIndex(of: "\n") {
                    feed.yield(String(partial[..<end]))
                    partial = String(partial[partial.index(after: end)...])
                }
            }
        }
    }

    /// The next line; nil at the end, or when the waiting task is cancelled.
    func nextLine() async -> String? {
        for await line in stream { return line }
        return nil
    }

    /// Waits until every writer has closed the pipe, which the end of their processes does for them.
    func end() async {
        for await _ in stream {}
    }
}

/// A pipe at which a script waits (`read go <$STAGE/gate`) until the test opens it.
final class Gate: Sendable {
    private let descriptor: Int32

    init(_ stage: Stage) throws {
        try #require(mkfifo(stage.path("gate"), 0o600) == 0)
        // Both ways, so that opening does not wait for the script.
        descriptor = open(stage.path("gate"), O_RDWR | O_CLOEXEC)
        try #require(descriptor >= 0)
    }

    deinit {
        close(descriptor)
    }

    /// Lets one script go on.
    func release() {
        _ = write(descriptor, "go\n", 3)
    }
}
