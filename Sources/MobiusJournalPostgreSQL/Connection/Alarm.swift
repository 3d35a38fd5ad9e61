#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Wakes a thread that waits with `poll`: a pipe, into which any thread may write.
final class Alarm: Sendable {
    /// The descriptor that the waiting thread polls; readable after ``ring()``.
    let descriptor: Int32
    private let writing: Int32

    init() {
        var ends: [Int32] = [-1, -1]
        let outcome = pipe(&ends)
        // Without descriptors the wait ends by itself, a little later.
        (descriptor, writing) = outcome == 0 ? (ends[0], ends[1]) : (-1, -1)
        for end in [descriptor, writing] where end >= 0 {
            _ = fcntl(end, F_SETFL, fcntl(end, F_GETFL) | O_NONBLOCK)
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
        }
    }

    deinit {
        for end in [descriptor, writing] where end >= 0 { close(end) }
    }

    /// Ends the wait of now, or the next one; any thread may call it.
    func ring() {
        var byte: UInt8 = 1
        _ = write(writing, &byte, 1)  // a full pipe has rung
    }

    /// Whether it has rung since the last call; for the waiting thread.
    func isRung() -> Bool {
        var bytes = [UInt8](repeating: 0, count: 64)
        var hasRung = false
        while read(descriptor, &bytes, bytes.count) > 0 { hasRung = true }
        return hasRung
    }
}
