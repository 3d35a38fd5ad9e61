import CZeroMQ
import Synchronization

/// A dedicated thread for sockets, whose end others may wait for.
package final class SocketThread: Sendable {
    private struct State {
        var isStarted = false
        var isFinished = false
        var whenFinished: [@Sendable () -> Void] = []
    }

    /// The thread's name in debuggers and `top`; Linux shows the first 15 bytes.
    package let name: String
    private let state = Mutex(State())
    // 0 until started. Each thread compares it with itself only, so no ordering is needed.
    private let thread = Atomic<UInt>(0)

    /// Makes a thread that does not run yet.
    package init(name: String) {
        self.name = name
    }

    /// Starts the thread, which runs `body`; once only.
    ///
    /// `body` is released when it returns. ``join()`` waits for its return.
    package func start(_ body: sending @escaping () -> Void) {
        let isFirst = state.withLock { state in
            defer { state.isStarted = true }
            return !state.isStarted
        }
        guard isFirst else { fatalError("A SocketThread starts once: make another one for another loop.") }
        let body = Body(body)
        DetachedThread.run(named: name) { [self] in
            thread.store(ThreadIdentity.current.rawValue, ordering: .relaxed)
            body.run()
            finish()
        }
    }

    private func finish() {
        let waiting = state.withLock { state in
            state.isFinished = true
            defer { state.whenFinished = [] }
            return state.whenFinished
        }
        for announce in waiting { announce() }
    }

    /// Whether the body has returned; otherwise `announce` is called once it has.
    private func hasFinished(_ announce: (@Sendable () -> Void)? = nil) -> Bool {
        state.withLock { state in
            guard state.isStarted else {
                fatalError("This SocketThread was never started, so waiting for it would never end: start it first.")
            }
            if !state.isFinished, let announce { state.whenFinished.append(announce) }
            return state.isFinished
        }
    }

    /// Blocks until the body has returned.
    ///
    /// Not from an async function, which should use ``finished()``, nor on the thread itself, which crashes.
    package func join() {
        if thread.load(ordering: .relaxed) == ThreadIdentity.current.rawValue {
            fatalError("A SocketThread cannot join itself: join it from the thread that started it.")
        }
        // Without a descriptor, because all may be in use, perhaps by what this thread is about to close.
        while !hasFinished() { _ = zmq_poll(nil, 0, 1) }  // waits for a millisecond
    }

    /// Waits until the body has returned.
    package func finished() async {
        await withCheckedContinuation { continuation in
            if hasFinished({ continuation.resume() }) { continuation.resume() }
        }
    }
}

/// The function that a thread runs, released when it returns.
// Sendable because it was sent and is called once, on the new thread.
private final class Body: @unchecked Sendable {
    private var body: (() -> Void)?

    init(_ body: @escaping () -> Void) {
        self.body = body
    }

    func run() {
        guard let body = body.take() else { return }
        body()
    }
}
