import Synchronization

/// The effects that have begun and not ended, so that all of them can be stopped.
final class EffectsUnderWay: Sendable {
    private struct State {
        var isClosed = false
        var lastID = 0
        /// `nil` for an effect whose handler has not returned yet.
        var disposables: [Int: (any Disposable)?] = [:]
    }

    private let state = Lock(State())

    /// Notes that an effect begins; `nil` if no more may begin.
    func begin() -> Int? {
        state.withLock { state in
            guard !state.isClosed else { return nil }
            state.lastID += 1
            state.disposables[state.lastID] = .some(nil)
            return state.lastID
        }
    }

    /// Keeps what stops the effect, unless it has ended; stops it at once if all were stopped in the meantime.
    func keep(_ disposable: any Disposable, for id: Int) {
        let isLate = state.withLock { state in
            guard !state.isClosed else { return true }
            if state.disposables[id] != nil { state.disposables[id] = disposable }
            return false
        }
        if isLate { disposable.dispose() }
    }

    /// Notes that an effect has ended.
    func end(_ id: Int) {
        let ended = state.withLock { state in state.disposables.removeValue(forKey: id) }
        // Released here, outside the lock: it may be the last reference to things of the user's.
        _ = ended
    }

    /// Stops all effects; no more may begin.
    func disposeAll() {
        let disposables = state.withLock { state in
            state.isClosed = true
            defer { state.disposables = [:] }
            return state.disposables
        }
        for (_, disposable) in disposables.sorted(by: { $0.key < $1.key }) { disposable?.dispose() }
    }
}
