package import Foundation
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Says on a queue when pipes can be read, from one thread that polls all of them.
///
/// Not with libdispatch's sources: on Linux they can crash the process when a pipe's other end is closed just while its source
/// is cancelled (swift-corelibs-libdispatch, issue 949), and every process that ends closes two of them.
package final class PipePoller: Sendable {
    private struct Pipe {
        let descriptor: Int32
        let isReadable: @Sendable () -> Void
    }

    private struct State {
        var pipes: [Int: Pipe] = [:]
        var last = 0
        /// Descriptors to be closed, which the thread may still poll.
        var removed: [Int32] = []
        /// The end of a pipe that wakes the thread, once there is one.
        var bell: Int32?
    }

    private let queue: DispatchQueue
    private let state = Mutex(State())

    /// Begins without a pipe, and without a thread.
    package init(queue: DispatchQueue) {
        self.queue = queue
    }

    /// Takes over a descriptor: calls `isReadable` on the queue whenever there is something to read, or the end.
    ///
    /// - Returns: what names it for ``remove(_:)``.
    package func add(_ descriptor: Int32, _ isReadable: @escaping @Sendable () -> Void) -> Int {
        let number = state.withLock { state in
            state.last += 1
            state.pipes[state.last] = Pipe(descriptor: descriptor, isReadable: isReadable)
            if state.bell == nil { state.bell = begin() }
            return state.last
        }
        wake()
        return number
    }

    /// Closes a descriptor, as soon as nobody polls it; on the queue, where it is not called any more.
    package func remove(_ number: Int) {
        state.withLock { state in
            if let pipe = state.pipes.removeValue(forKey: number) { state.removed.append(pipe.descriptor) }
        }
        wake()
    }

    private func wake() {
        // A full pipe wakes it as well.
        state.withLock { state in if let bell = state.bell { _ = write(bell, [1], 1) } }
    }

    /// Starts the thread; answers what wakes it.
    private func begin() -> Int32 {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else {
            preconditionFailure("mobius: no pipe can be made: \(String(cString: strerror(errno))).")
        }
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        let bell = ends[0]
        Thread.detachNewThread { [self] in poll(bell) }
        return ends[1]
    }

    private func poll(_ bell: Int32) {
        var rung = [UInt8](repeating: 0, count: 64)
        while true {
            let (pipes, removed) = state.withLock { state in
                defer { state.removed = [] }
                return (Array(state.pipes), state.removed)
            }
            for descriptor in removed { close(descriptor) }
            var polled = [pollfd(fd: bell, events: Int16(POLLIN), revents: 0)]
            polled += pipes.map { pollfd(fd: $0.value.descriptor, events: Int16(POLLIN), revents: 0) }
            #if canImport(Glibc)
                let count = Glibc.poll(&polled, nfds_t(polled.count), -1)
            #else
                let count = Darwin.poll(&polled, nfds_t(polled.count), -1)
            #endif
            guard count > 0 else { continue }  // a signal
            if polled[0].revents != 0 { while read(bell, &rung, rung.count) > 0 {} }
            for (number, pipe) in zip(pipes, polled.dropFirst()).lazy.filter({ $0.1.revents != 0 }).map(\.0) {
                // It may have been removed since.
                queue.sync { if state.withLock({ $0.pipes[number] != nil }) { pipe.isReadable() } }
            }
        }
    }
}
