package import MobiusWire
import Synchronization

/// Who watches which loop of a coordinator.
package final class LoopWatchers<Model: Sendable>: Sendable {
    private struct State {
        var loops: [LoopID: ModelWatchers<Model>] = [:]
        var isFinished = false
    }

    private let state = Mutex(State())

    /// Makes a list of loops that nobody watches.
    package init() {}

    /// The streams of a loop, which may not have begun.
    package func watchers(of loop: LoopID) -> ModelWatchers<Model> {
        state.withLock { state in
            if let watchers = state.loops[loop] { return watchers }
            let watchers = ModelWatchers<Model>()
            if state.isFinished { watchers.finish() }
            state.loops[loop] = watchers
            return watchers
        }
    }

    /// The streams of a loop of which somebody asked for one.
    package func existing(of loop: LoopID) -> ModelWatchers<Model>? {
        state.withLock { $0.loops[loop] }
    }

    /// Ends all streams, those that are asked for later, too.
    package func finish() {
        let all = state.withLock { state in
            state.isFinished = true
            return Array(state.loops.values)
        }
        for watchers in all { watchers.finish() }
    }
}
