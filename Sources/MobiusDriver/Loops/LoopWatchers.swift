package import MobiusWire
import Synchronization

/// The model streams of a coordinator's loops.
package final class LoopWatchers<Model: Sendable>: Sendable {
    private struct State {
        var loops: [LoopID: ModelWatchers<Model>] = [:]
        var isFinished = false
    }

    private let state = Mutex(State())

    /// Makes a list without streams.
    package init() {}

    /// The streams of a loop, which need not exist yet.
    package func watchers(of loop: LoopID) -> ModelWatchers<Model> {
        state.withLock { state in
            if let watchers = state.loops[loop] { return watchers }
            let watchers = ModelWatchers<Model>()
            if state.isFinished { watchers.finish() }
            state.loops[loop] = watchers
            return watchers
        }
    }

    /// The streams of a loop; `nil` when none was ever requested.
    package func existing(of loop: LoopID) -> ModelWatchers<Model>? {
        state.withLock { $0.loops[loop] }
    }

    /// Ends all streams; streams requested later end at once.
    package func finish() {
        let all = state.withLock { state in
            state.isFinished = true
            return Array(state.loops.values)
        }
        for watchers in all { watchers.finish() }
    }
}
