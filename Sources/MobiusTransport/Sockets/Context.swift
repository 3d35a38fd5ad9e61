import CZeroMQ
import Synchronization

/// The environment of a process's ZeroMQ sockets: its I/O threads and its `inproc` names.
///
/// One context per process is the rule. It may be shared by all threads. Each ``Socket`` keeps its context alive, so a
/// released context ends when its last socket has been closed.
public final class Context: Sendable {
    private struct State {
        /// `nil` once terminated; checked under the lock, because libzmq frees the memory behind it.
        var handle: UnsafeMutableRawPointer?
        /// The number of open sockets of each thread, so that ``Context/terminate()`` can refuse to wait for its own
        /// caller.
        var openSockets: [ThreadIdentity: Int] = [:]
    }

    // The handle is used under this lock only; libzmq's contexts are thread-safe themselves.
    private let state: Mutex<State>

    /// Makes a context.
    ///
    /// - Parameters:
    ///   - ioThreads: threads that move bytes; one serves about a gigabyte per second. 0 leaves `inproc` only.
    ///   - maxSockets: how many sockets may be open at a time.
    public init(ioThreads: Int = 1, maxSockets: Int = 1023) {
        guard let handle = zmq_ctx_new() else {
            fatalError("libzmq has no memory for a context: give the process more.")
        }
        guard zmq_ctx_set(handle, ZMQ_IO_THREADS, Int32(clamping: ioThreads)) == 0,
            zmq_ctx_set(handle, ZMQ_MAX_SOCKETS, Int32(clamping: maxSockets)) == 0
        else {
            fatalError("A Context needs ioThreads of at least 0 and maxSockets between 1 and the system's limit.")
        }
        nonisolated(unsafe) let unshared = handle  // Not used again: the lock owns it from here on.
        state = Mutex(State(handle: unshared))
    }

    deinit {
        // Every socket held a reference, so all are closed: this waits for their LINGER only.
        terminate()
    }

    /// The maximum number of open sockets; 0 once terminated.
    public var maxSockets: Int {
        state.withLock { state in
            guard let handle = state.handle else { return 0 }
            return Int(zmq_ctx_get(handle, ZMQ_MAX_SOCKETS))
        }
    }

    /// Makes a socket that belongs to the calling thread, or to the thread that holds `lock`, now the caller.
    ///
    /// Its LINGER is 0: unsent messages are dropped when it closes, unless ``SocketOption/linger`` is set.
    ///
    /// - Throws: `tooManySockets`, or `terminated` after ``terminate()``.
    public func socket(_ type: SocketType, lock: SocketLock? = nil) throws(ZeroMQError) -> Socket {
        if let lock, !lock.isHeld { Socket.crashOnWrongThread() }
        let opened: Result<UInt, ZeroMQError> = state.withLock { state in
            let attempt = "open a \(type) socket"
            guard let handle = state.handle else { return .failure(ZeroMQError(.terminated, attempt)) }
            guard let socket = zmq_socket(handle, type.rawValue) else { return .failure(.last(attempt)) }
            var linger: Int32 = 0
            guard zmq_setsockopt(socket, ZMQ_LINGER, &linger, MemoryLayout<Int32>.size) == 0 else {
                let error = ZeroMQError.last("set the linger of a \(type) socket")
                zmq_close(socket)
                return .failure(error)
            }
            state.openSockets[.current, default: 0] += 1
            return .success(UInt(bitPattern: socket))
        }
        guard let socket = UnsafeMutableRawPointer(bitPattern: try opened.get()) else {
            fatalError("libzmq returned a socket at address zero.")
        }
        return Socket(handle: socket, type: type, lock: lock ?? SocketLock(isShared: false), context: self)
    }

    func socketClosed(by owner: ThreadIdentity) {
        state.withLock { state in
            let left = (state.openSockets[owner] ?? 1) - 1
            state.openSockets[owner] = left == 0 ? nil : left
        }
    }

    /// Ends the context: sockets that other threads still have open fail with `terminated`, and this waits until they
    /// have been closed.
    ///
    /// Call it once the calling thread has closed its own sockets; otherwise it would wait for ever, so it crashes.
    /// A second call does nothing.
    public func terminate() {
        let last: UInt? = state.withLock { state in
            checkForOwnSockets(state)
            return state.handle.take().map { UInt(bitPattern: $0) }
        }
        guard let last, let handle = UnsafeMutableRawPointer(bitPattern: last) else { return }
        while zmq_ctx_term(handle) != 0 && zmq_errno() == EINTR {}
    }

    /// Ends the context like ``terminate()``, but waits no longer than `patience`; the rest continues in the
    /// background.
    ///
    /// libzmq does not end a context while it resolves a name to which one of its sockets connects: ten seconds when no
    /// name server answers.
    ///
    /// - Parameter patience: more than the longest LINGER, so that the last messages can be sent.
    public func terminate(patience: Duration) {
        state.withLock { checkForOwnSockets($0) }
        let ended = WakeUp()
        SocketThread(name: "closing").start {
            self.terminate()
            ended.signal()
        }
        var poller = Poller()
        _ = poller.add(ended)
        _ = try? poller.wait(timeout: patience)  // only a descriptor is polled: nothing to throw
    }

    private func checkForOwnSockets(_ state: borrowing State) {
        guard state.handle == nil || state.openSockets[.current] == nil else {
            fatalError("Context.terminate() waits for open sockets, but this thread still has one: close it first.")
        }
    }
}
