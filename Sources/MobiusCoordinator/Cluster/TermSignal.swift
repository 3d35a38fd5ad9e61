import Synchronization

/// Tells tasks when this process runs the loops.
final class TermSignal: Sendable {
    private struct State {
        var isOurs = false
        /// The number of times that this process began to run the loops.
        var terms = 0
        var isFinished = false
        var streams: [Int: AsyncStream<Bool>.Continuation] = [:]
        var next = 0
    }

    private let state = Mutex(State())

    /// Whether this process runs the loops: the current state first, then each later one; it ends with the coordinator.
    var changes: AsyncStream<Bool> {
        let (stream, continuation) = AsyncStream.makeStream(of: Bool.self, bufferingPolicy: .bufferingNewest(2))
        state.withLock { state in
            continuation.yield(state.isOurs)
            guard !state.isFinished else { return continuation.finish() }
            let id = state.next
            state.next += 1
            state.streams[id] = continuation
            continuation.onTermination = { [weak self] _ in
                self?.state.withLock { _ = $0.streams.removeValue(forKey: id) }
            }
        }
        return stream
    }

    /// Whether this process runs the loops now.
    var isOurs: Bool { state.withLock { $0.isOurs } }

    /// The number of the term in which this process runs the loops now; `nil` when it does not.
    var term: Int? { state.withLock { $0.isOurs ? $0.terms : nil } }

    /// Tells those who listen what they know, because something else has changed.
    func tellAgain() {
        state.withLock { state in
            for stream in state.streams.values { stream.yield(state.isOurs) }
        }
    }

    /// This process runs the loops from now on.
    func begin() { tell(true) }

    /// This process runs the loops no more.
    func end() { tell(false) }

    /// Ends all streams.
    func finish() {
        let streams = state.withLock { state in
            state.isFinished = true
            return state.streams
        }
        for stream in streams.values { stream.finish() }
    }

    private func tell(_ isOurs: Bool) {
        state.withLock { state in
            guard state.isOurs != isOurs else { return }
            state.isOurs = isOurs
            if isOurs { state.terms += 1 }
            for stream in state.streams.values { stream.yield(isOurs) }
        }
    }
}
