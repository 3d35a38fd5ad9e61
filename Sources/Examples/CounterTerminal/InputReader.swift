import Dispatch

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Reads a descriptor of any kind (terminal, pipe, file) on demand, on its own thread, until it is stopped.
final class InputReader: Sendable {
    private let descriptor: Int32
    private let onForeground: @Sendable () -> Void
    private let queue = DispatchQueue(label: "counter.input")
    /// Readable once the reader was stopped; the byte is never read, so it stays readable.
    private let stopped: (readEnd: Int32, writeEnd: Int32)

    /// Reads nothing yet; `onForeground` is called when the process is in the terminal's foreground again.
    init(descriptor: Int32, onForeground: @escaping @Sendable () -> Void) {
        self.descriptor = descriptor
        self.onForeground = onForeground
        var ends: [Int32] = [-1, -1]
        precondition(pipe(&ends) == 0, "This process has too many files open to read its keys.")
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        stopped = (ends[0], ends[1])
    }

    deinit {
        close(stopped.readEnd)
        close(stopped.writeEnd)
    }

    /// The next bytes, as soon as there are some; nil at the end of the input, after ``stop()`` and when cancelled.
    func read() async -> [UInt8]? {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                queue.async { continuation.resume(returning: self.wait()) }
            }
        } onCancel: {
            stop()
        }
    }

    /// Ends the reading; from any thread, any number of times.
    func stop() {
        var byte: UInt8 = 0
        _ = write(stopped.writeEnd, &byte, 1)
    }

    private func wait() -> [UInt8]? {
        var polled = [
            pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
            pollfd(fd: stopped.readEnd, events: Int16(POLLIN), revents: 0),
        ]
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            guard waitForForeground() else { return nil }
            if poll(&polled, 2, -1) < 0 {
                if errno == EINTR { continue }
                return nil
            }
            if polled[1].revents != 0 { return nil }
            // These keys are for the shell if the process has been put into the background meanwhile.
            if !TerminalOwner.isUs(descriptor) { continue }
            // If that happens now, the signal stops the process until it may read; if the signal were blocked, read
            // would fail.
            let count = ThreadSignals.allowing(SIGTTIN) { self.read(into: &buffer) }
            if count > 0 { return Array(buffer[..<count]) }
            // Another process may have made the shared terminal non-blocking, or may have read the keys.
            if count < 0, errno == EINTR || errno == EAGAIN { continue }
            return nil
        }
    }

    /// Waits, by polling, until the process is in the foreground; false when stopped.
    private func waitForForeground() -> Bool {
        if TerminalOwner.isUs(descriptor) { return true }
        var polled = pollfd(fd: stopped.readEnd, events: Int16(POLLIN), revents: 0)
        repeat {
            if poll(&polled, 1, 200) > 0 { return false }
        } while !TerminalOwner.isUs(descriptor)
        onForeground()
        return true
    }

    private func read(into buffer: inout [UInt8]) -> Int {
        #if canImport(Glibc)
            Glibc.read(descriptor, &buffer, buffer.count)
        #else
            Darwin.read(descriptor, &buffer, buffer.count)
        #endif
    }
}
