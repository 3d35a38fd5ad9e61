#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The process's standard error.
package enum StandardError {
    /// Writes the bytes with as few system calls as possible; safe from any thread.
    ///
    /// A closed or full stderr is ignored, because a log line must not end the program.
    package static func write(_ text: String) {
        var text = text
        _ = text.withUTF8 { writeAll(UnsafeRawBufferPointer($0), to: STDERR_FILENO) }
    }

    /// Writes the bytes to a descriptor, across partial writes and interruptions; false if that fails.
    @discardableResult
    package static func writeAll(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let part = UnsafeRawBufferPointer(rebasing: rest)
            #if canImport(Glibc)
                let count = Glibc.write(descriptor, part.baseAddress, part.count)
            #else
                let count = Darwin.write(descriptor, part.baseAddress, part.count)
            #endif
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if errno == EAGAIN {
                // A terminal shared with a program that made it non-blocking.
                var poller = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                _ = poll(&poller, 1, -1)
            } else if errno != EINTR {
                return false
            }
        }
        return true
    }
}
