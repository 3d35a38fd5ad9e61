import Synchronization

/// The streams of a loop's models, each of which keeps the newest only.
package final class ModelWatchers<Model: Sendable>: Sendable {
    private struct State {
        var lastID = 0
        var streams: [Int: AsyncStream<Model>.Continuation] = [:]
        /// Those that have been given nothing yet.
        var newcomers: Set<Int> = []
        var isFinished = false
    }

    private let state = Mutex(State())

    /// Makes a list of streams without any.
    package init() {}

    /// A stream that ends with the coordinator; one that has been given nothing yet is a newcomer.
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

    /// Whether anybody watches, and whether somebody waits for a first model.
    package var audience: (isThere: Bool, isWaiting: Bool) {
        state.withLock { (!$0.streams.isEmpty, !$0.newcomers.isEmpty) }
    }

    /// Gives the model to all, or to those that have been given nothing yet.
    package func publish(_ model: Model, toAll: Bool) {
        let streams = state.withLock { state in
            let streams = toAll ? Array(state.streams.values) : state.newcomers.compactMap { state.streams[$0] }
            state.newcomers = []
            return streams
        }
        for stream in streams { stream.yield(model) }
    }

    /// Ends all streams, those that are asked for later, too.
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
