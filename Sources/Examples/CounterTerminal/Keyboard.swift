import Dispatch
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The keys of lines that are typed at a terminal, or read from a pipe.
public final class Keyboard: Sendable {
    private let descriptor: Int32
    private let queue = DispatchQueue(label: "counter.input")
    /// Readable once the keyboard was closed; the byte is never read, so it stays readable.
    private let closed: (readEnd: Int32, writeEnd: Int32)
    /// Last key first.
    private let typed = Mutex<[Key]>([])

    /// Reads nothing yet of the descriptor (default: standard input).
    public init(descriptor: Int32 = 0) {
        self.descriptor = descriptor
        var ends: [Int32] = [-1, -1]
        precondition(pipe(&ends) == 0, "This process has too many files open to read its keys.")
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        closed = (ends[0], ends[1])
    }

    deinit {
        _ = (Self.end(closed.readEnd), Self.end(closed.writeEnd))
    }

    /// The next keys; the sequence ends with the input, with ``close()``, and when the reading task is cancelled.
    ///
    /// For one reader. Only keys that arrive together are read ahead.
    public var keys: AsyncStream<Key> {
        AsyncStream { await self.next() }
    }

    /// Ends the keys; from any thread, any number of times.
    public func close() {
        var byte: UInt8 = 0
        _ = write(closed.writeEnd, &byte, 1)
    }

    private func next() async -> Key? {
        while true {
            if let key = typed.withLock({ $0.popLast() }) { return key }
            guard let bytes = await read() else { return nil }
            typed.withLock { $0 = bytes.reversed().compactMap(Key.init(byte:)) }
        }
    }

    private func read() async -> [UInt8]? {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                queue.async { continuation.resume(returning: self.wait()) }
            }
        } onCancel: {
            close()
        }
    }

    /// The next bytes, as soon as there are some; nil at the end of the input and when closed.
    private func wait() -> [UInt8]? {
        var polled = [
            pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
            pollfd(fd: closed.readEnd, events: Int16(POLLIN), revents: 0),
        ]
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            guard poll(&polled, 2, -1) >= 0 || errno == EINTR, polled[1].revents == 0 else { return nil }
            let count = Self.read(descriptor, into: &buffer)
            if count > 0 { return Array(buffer[..<count]) }
            // Another process may have made a shared terminal non-blocking, or may have read the line.
            guard count < 0, errno == EINTR || errno == EAGAIN else { return nil }
        }
    }

    #if canImport(Glibc)
        private static func read(_ descriptor: Int32, into buffer: inout [UInt8]) -> Int {
            Glibc.read(descriptor, &buffer, buffer.count)
        }
        private static func end(_ descriptor: Int32) -> Int32 { Glibc.close(descriptor) }
    #else
        private static func read(_ descriptor: Int32, into buffer: inout [UInt8]) -> Int {
            Darwin.read(descriptor, &buffer, buffer.count)
        }
        private static func end(_ descriptor: Int32) -> Int32 { Darwin.close(descriptor) }
    #endif
}
