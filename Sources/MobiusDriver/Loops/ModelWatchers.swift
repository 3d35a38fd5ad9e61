import Synchronization

/// The streams of a loop's models; each buffers only the newest model.
package final class ModelWatchers<Model: Sendable>: Sendable {
    private struct State {
        var lastID = 0
        var streams: [Int: AsyncStream<Model>.Continuation] = [:]
        /// The streams that have received no model yet.
        var newcomers: Set<Int> = []
        var isFinished = false
    }

    private let state = Mutex(State())

    /// Makes an empty list of streams.
    package init() {}

    /// Adds a stream, which ends when the coordinator stops.
    package func stream() -> AsyncStream<Model> {
        let (stream, continuation) = AsyncStream.makeStream(of: Model.self, bufferingPolicy: .bufferingNewest(1))
        let id: Int? = state.withLock { state in
            guard !state.isFinished else { return nil }
            state.lastID += 1
            state.streams[state.lastID] = continuation
            state.newcomers.insert(state.lastID)
            return state.lastID
        }
        guard let id else {
            continuation.finish()
            return stream
        }
        continuation.onTermination = { [weak self] _ in self?.remove(id) }
        return stream
    }

    /// Whether there are streams, and whether one of them waits for its first model.
    package var demand: (isThere: Bool, isWaiting: Bool) {
        state.withLock { (!$0.streams.isEmpty, !$0.newcomers.isEmpty) }
    }

    /// Yields the model to all streams, or only to those that have received none yet.
    package func publish(_ model: Model, toAll: Bool) {
        let streams = state.withLock { state in
            let streams = toAll ? Array(state.streams.values) : state.newcomers.compactMap { state.streams[$0] }
            state.newcomers = []
            return streams
        }
        for stream in streams { stream.yield(model) }
    }

    /// Ends all streams; streams requested later end at once.
    package func finish() {
        let streams = state.withLock { state in
            state.isFinished = true
            defer { (state.streams, state.newcomers) = ([:], []) }
            return state.streams.values
        }
        for stream in streams { stream.finish() }
    }

    private func remove(_ id: Int) {
        state.withLock { state in
            state.streams[id] = nil
            state.newcomers.remove(id)
        }
    }
}
