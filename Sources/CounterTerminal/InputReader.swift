import Dispatch

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Reads a descriptor of any kind (terminal, pipe, file) when asked, on a thread of its own, until it is told to stop.
final class InputReader: Sendable {
    private let descriptor: Int32
    private let onForeground: @Sendable () -> Void
    private let queue = DispatchQueue(label: "counter.input")
    /// Readable once the reader was told to stop; nobody takes the byte out, so it stays so.
    private let stopped: (readEnd: Int32, writeEnd: Int32)

    /// Reads nothing yet; `onForeground` is called when a terminal that was others' is ours again.
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
            // These keys are for the shell, should we have been put into the background meanwhile.
            if !TerminalOwner.isUs(descriptor) { continue }
            // Should it happen just now, the signal stops us until we may read; blocked, it would be an error.
            let count = ThreadSignals.allowing(SIGTTIN) { self.read(into: &buffer) }
            if count > 0 { return Array(buffer[..<count]) }
            // Somebody who shares the terminal may have made it non-blocking, and may have been faster.
            if count < 0, errno == EINTR || errno == EAGAIN { continue }
            return nil
        }
    }

    /// Waits until the keys are ours to read, which nothing tells of; false when stopped.
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
