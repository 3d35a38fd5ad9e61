import Synchronization

/// The running effects with their runs, so that some of them can be cancelled.
final class CancellableEffects<Effect>: Sendable {
    private struct Entry {
        let effect: UncheckedTransfer<Effect>
        let run: ManagedRun
    }

    private struct State {
        var lastID = 0
        var entries: [Int: Entry] = [:]
    }

    private let state = Lock(State())

    /// An id for an effect that is about to begin; later ones are greater.
    func reserve() -> Int {
        state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
    }

    /// Adds a running effect.
    func add(_ effect: Effect, _ run: ManagedRun, as id: Int) {
        let entry = Entry(effect: UncheckedTransfer(effect), run: run)
        state.withLock { $0.entries[id] = entry }
    }

    /// Removes an effect that has ended.
    func remove(_ id: Int) {
        let removed = state.withLock { $0.entries.removeValue(forKey: id) }
        _ = removed  // released here, outside the lock: it may be the last reference to user objects
    }

    /// Cancels the effects for which `isCancelled` returns true, oldest first; no lock is held while it is called.
    func cancel(where isCancelled: (Effect) -> Bool) {
        let entries = state.withLock { $0.entries }
        for (_, entry) in entries.sorted(by: { $0.key < $1.key }) where isCancelled(entry.effect.value) {
            entry.run.dispose()
        }
    }
}
