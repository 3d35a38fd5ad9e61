package import Foundation
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Says on a queue when descriptors can be read, from one thread that polls all of them.
///
/// Not with libdispatch's sources: on Linux they can crash the process when a pipe's other end is closed just while its source
/// is cancelled (swift-corelibs-libdispatch, issue 949), and every process that ends closes two of them.
///
/// Its thread ends when the poller is released, and closes what is left.
package final class ReadPoller: Sendable {
    private let polled: Polled
    /// The end of a pipe that wakes the thread, and ends it when it is closed.
    private let bell: Int32

    /// Begins without a descriptor of others.
    ///
    /// - Throws: What the system says when no pipe of its own can be made.
    package init(queue: DispatchQueue) throws {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw SystemFailure() }
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        bell = ends[1]
        polled = Polled(queue: queue)
        Thread.detachNewThread { [polled, hearing = ends[0]] in polled.poll(wokenBy: hearing) }
    }

    deinit {
        close(bell)
    }

    /// Takes over a descriptor: calls `isReadable` on the queue, with its number, whenever there is something to read, or
    /// the end.
    ///
    /// - Returns: the number, for ``remove(_:)``.
    package func add(_ descriptor: Int32, _ isReadable: @escaping @Sendable (Int) -> Void) -> Int {
        defer { wake() }
        return polled.add(descriptor, isReadable)
    }

    /// Closes a descriptor, as soon as nobody polls it; on the queue, where it is not called any more.
    package func remove(_ number: Int) {
        polled.remove(number)
        wake()
    }

    private func wake() {
        // A full pipe wakes it as well.
        _ = write(bell, [1] as [UInt8], 1)
    }
}

/// What a poller's thread polls.
private final class Polled: Sendable {
    private struct Entry {
        let descriptor: Int32
        let isReadable: @Sendable (Int) -> Void
    }

    private struct State {
        var entries: [Int: Entry] = [:]
        var last = 0
        /// Descriptors to be closed, which the thread may still poll.
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

    /// The thread: until the other end of the bell is closed.
    func poll(wokenBy bell: Int32) {
        while hears(bell) {
            let entries = state.withLock { state in
                for descriptor in state.removed { close(descriptor) }
                state.removed = []
                return Array(state.entries)
            }
            var polled = [pollfd(fd: bell, events: Int16(POLLIN), revents: 0)]
            polled += entries.map { pollfd(fd: $0.value.descriptor, events: Int16(POLLIN), revents: 0) }
            #if canImport(Glibc)
                let count = Glibc.poll(&polled, nfds_t(polled.count), -1)
            #else
                let count = Darwin.poll(&polled, nfds_t(polled.count), -1)
            #endif
            if count < 0, errno != EINTR {
                // The kernel has no memory for it: not again at once.
                Thread.sleep(forTimeInterval: 0.01)
            }
            guard count > 0 else { continue }
            for ((number, entry), _) in zip(entries, polled.dropFirst()).lazy.filter({ $0.1.revents != 0 }) {
                // It may have been removed since.
                queue.sync { if state.withLock({ $0.entries[number] != nil }) { entry.isReadable(number) } }
            }
        }
        close(bell)
        state.withLock { state in
            for descriptor in state.removed + state.entries.values.map(\.descriptor) { close(descriptor) }
            state = State()
        }
    }

    /// Empties the bell; whether it can still be rung.
    private func hears(_ bell: Int32) -> Bool {
        var rings = [UInt8](repeating: 0, count: 64)
        var count = 0
        repeat { count = read(bell, &rings, rings.count) } while count > 0
        return count < 0
    }
}
