import CZeroMQ
import Synchronization

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Wakes a ``Poller`` from any thread.
///
/// Signals coalesce: until the next ``drain()``, only the first one makes a system call.
public final class WakeUp: Sendable {
    /// The descriptor that the poller watches.
    let readEnd: CInt
    private let writeEnd: CInt
    // Whether the poller has been or is about to be woken. Both sides exchange it instead of loading it, so that the
    // draining thread sees all writes before a signal that found it already set.
    private let isSignalled = Atomic<Bool>(false)

    /// Makes one; crashes when the process has no file descriptor left for it.
    public convenience init() {
        guard let ends = Self.open() else { Self.crashWithoutDescriptor() }
        self.init(ends)
    }

    private init(_ ends: (read: CInt, write: CInt)) {
        (readEnd, writeEnd) = ends
    }

    /// Makes one.
    ///
    /// - Throws: ``ZeroMQError`` with code `tooManySockets` when the process has no file descriptor left for it.
    public static func ifPossible() throws(ZeroMQError) -> WakeUp {
        guard let ends = open() else {
            throw ZeroMQError(.tooManySockets, "No file descriptor is left: raise the open-files limit (ulimit -n).")
        }
        return WakeUp(ends)
    }

    private static func open() -> (read: CInt, write: CInt)? {
        #if os(Linux)
            let end = eventfd(0, CInt(EFD_CLOEXEC | EFD_NONBLOCK))
            return end >= 0 ? (end, end) : nil
        #else
            var ends: [CInt] = [-1, -1]
            guard pipe(&ends) == 0 else { return nil }
            for end in ends {
                _ = fcntl(end, F_SETFL, O_NONBLOCK)
                _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            }
            return (ends[0], ends[1])
        #endif
    }

    deinit {
        close(readEnd)
        if writeEnd != readEnd { close(writeEnd) }
    }

    /// Makes the descriptor readable until the next ``drain()``; from any thread, never waits.
    ///
    /// Earlier writes of the caller are visible to the thread that drains afterwards.
    public func signal() {
        guard !isSignalled.exchange(true, ordering: .acquiringAndReleasing) else { return }
        var one: UInt64 = 1
        let size = writeEnd == readEnd ? MemoryLayout<UInt64>.size : 1
        // A full pipe or counter is readable anyway; only an interruption requires a repetition.
        while write(writeEnd, &one, size) < 0 && errno == EINTR {}
    }

    /// Clears all signals; call it when the poller reports this readable, and check for work *afterwards*.
    public func drain() {
        // Emptied before the flag is cleared: in the other order a signal in between would be lost.
        empty()
        _ = isSignalled.exchange(false, ordering: .acquiringAndReleasing)
    }

    /// Marks the waiting thread as awake: until ``release()``, no signal makes a system call.
    ///
    /// Use it instead of ``drain()`` if the thread checks for work repeatedly before the next wait.
    ///
    /// - Parameter isReadable: whether the poller reported this readable.
    public func hold(isReadable: Bool) {
        if isReadable { empty() }
        _ = isSignalled.exchange(true, ordering: .acquiringAndReleasing)
    }

    /// Lets signals wake the poller again; call it before the next wait, and look for work *afterwards*, before that wait.
    public func release() {
        _ = isSignalled.exchange(false, ordering: .acquiringAndReleasing)
    }

    private func empty() {
        withUnsafeTemporaryAllocation(byteCount: 64, alignment: 8) { buffer in
            while true {
                let count = read(readEnd, buffer.baseAddress, buffer.count)
                if count == buffer.count || (count < 0 && errno == EINTR) { continue }
                break
            }
        }
    }

    private static func crashWithoutDescriptor() -> Never {
        fatalError("No file descriptor is left for a WakeUp: raise the open-files limit (ulimit -n).")
    }
}
