package import Foundation
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Reports on a queue which descriptors can be read, from one thread that polls all of them.
///
/// Dispatch sources are not used: on Linux they can crash the process when a pipe's other end is closed while its
/// source is cancelled (swift-corelibs-libdispatch, issue 949), and every process that ends closes two pipes.
///
/// The thread ends when the poller is released, and closes the remaining descriptors.
package final class ReadPoller: Sendable {
    private let polled: Polled
    /// The write end of a pipe that wakes the thread, and ends it when it is closed.
    private let wakePipe: Int32

    /// Starts the thread without descriptors to poll.
    ///
    /// - Throws: The system's error when its own pipe cannot be created.
    package init(queue: DispatchQueue) throws {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw SystemFailure() }
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        wakePipe = ends[1]
        polled = Polled(queue: queue)
        Thread.detachNewThread { [polled, readEnd = ends[0]] in polled.poll(wokenBy: readEnd) }
    }

    deinit {
        close(wakePipe)
    }

    /// Takes over a descriptor: `isReadable` is called on the queue, with the descriptor's number, whenever there is
    /// data or the end of the file.
    ///
    /// - Returns: the number, for ``remove(_:)``.
    package func add(_ descriptor: Int32, _ isReadable: @escaping @Sendable (Int) -> Void) -> Int {
        defer { wake() }
        return polled.add(descriptor, isReadable)
    }

    /// Closes a descriptor once it is not polled any more.
    ///
    /// Call it on the queue; `isReadable` is not called afterwards.
    package func remove(_ number: Int) {
        polled.remove(number)
        wake()
    }

    private func wake() {
        // A full pipe wakes the thread as well.
        _ = write(wakePipe, [1] as [UInt8], 1)
    }
}

/// The state shared with a poller's thread.
private final class Polled: Sendable {
    private struct Entry {
        let descriptor: Int32
        let isReadable: @Sendable (Int) -> Void
    }

    private struct State {
        var entries: [Int: Entry] = [:]
        var last = 0
        /// Descriptors to close, which the thread may still poll.
        var removed: [Int32] = []
    }

    private let queue: DispatchQueue
    private let state = Mutex(State())

    init(queue: DispatchQueue) {
        self.queue = queue
    }

    func add(_ descriptor: Int32, _ isReadable: @escaping @Sendable (Int) -> Void) -> Int {
        state.withLock { state in
            state.last += 1
            state.entries[state.last] = Entry(descriptor: descriptor, isReadable: isReadable)
            return state.last
        }
    }

    func remove(_ number: Int) {
        state.withLock { state in
            if let entry = state.entries.removeValue(forKey: number) { state.removed.append(entry.descriptor) }
        }
    }

    /// The thread's body; returns when the write end of the pipe is closed.
    func poll(wokenBy wakePipe: Int32) {
        while drain(wakePipe) {
            let entries = state.withLock { state in
                for descriptor in state.removed { close(descriptor) }
                state.removed = []
                return Array(state.entries)
            }
            var polled = [pollfd(fd: wakePipe, events: Int16(POLLIN), revents: 0)]
            polled += entries.map { pollfd(fd: $0.value.descriptor, events: Int16(POLLIN), revents: 0) }
            #if canImport(Glibc)
                let count = Glibc.poll(&polled, nfds_t(polled.count), -1)
            #else
                let count = Darwin.poll(&polled, nfds_t(polled.count), -1)
            #endif
            if count < 0, errno != EINTR {
                // The kernel lacks memory: do not repeat at once.
                Thread.sleep(forTimeInterval: 0.01)
            }
            guard count > 0 else { continue }
            for ((number, entry), _) in zip(entries, polled.dropFirst()).lazy.filter({ $0.1.revents != 0 }) {
                // The descriptor may have been removed meanwhile.
                queue.sync { if state.withLock({ $0.entries[number] != nil }) { entry.isReadable(number) } }
            }
        }
        close(wakePipe)
        state.withLock { state in
            for descriptor in state.removed + state.entries.values.map(\.descriptor) { close(descriptor) }
            state = State()
        }
    }

    /// Empties the pipe; returns whether its write end is still open.
    private func drain(_ wakePipe: Int32) -> Bool {
        var buffer = [UInt8](repeating: 0, count: 64)
        var count = 0
        repeat { count = read(wakePipe, &buffer, buffer.count) } while count > 0
        return count < 0
    }
}
