import Foundation
import MobiusCore
package import MobiusEngine
import MobiusRuntime
import MobiusWire

// Virtual time, which only the world advances.
extension VirtualHandlerExecutor {
    package var now: Moment { withState { $0.now } }

    func instant(of moment: Moment) -> ContinuousClock.Instant { origin + (moment - Self.start) }

    func moment(of instant: ContinuousClock.Instant) -> Moment { Self.start + (instant - origin) }

    /// Sets the virtual time.
    func advance(to moment: Moment) { withState { $0.now = moment } }

    /// The deadline of the next sleeper.
    var nextWake: Moment? {
        withState { state in state.nextSleeper.map { state.sleepers[$0].deadline } }
    }

    func wakeNext() {
        let sleeper: Sleeper? = withState { state in
            guard let index = state.nextSleeper else { return nil }
            return state.wake(at: index)
        }
        sleeper?.continuation.resume()
    }

    /// Sleeps until the virtual time reaches `deadline`.
    func sleep(until deadline: Moment) async throws {
        try Task.checkCancellation()
        let owner = EffectContext.current.map { AttemptID(effect: $0.id, attempt: $0.attempt) }
        let number = withState { state in
            state.lastSleeper += 1
            return state.lastSleeper
        }
        try await withTaskCancellationHandler {
            try await withUnsafeThrowingContinuation { continuation in
                addSleeper(
                    Sleeper(number: number, deadline: deadline, owner: owner, continuation: continuation))
            }
        } onCancel: {
            let sleeper: Sleeper? = withState { state in
                if let index = state.sleepers.firstIndex(where: { $0.number == number }) {
                    return state.wake(at: index)
                }
                state.cancelled.insert(number)
                return nil
            }
            sleeper?.continuation.resume(throwing: CancellationError())
        }
    }

    private func addSleeper(_ sleeper: Sleeper) {
        let result: Result<Void, any Error>? = withState { state in
            if let owner = sleeper.owner, state.vanished.contains(owner) { return nil }
            if state.cancelled.remove(sleeper.number) != nil { return .failure(CancellationError()) }
            if sleeper.deadline <= state.now { return .success(()) }
            let index = state.sleepers.firstIndex { sleeper.isBefore($0) } ?? state.sleepers.endIndex
            state.sleepers.insert(sleeper, at: index)
            if let owner = sleeper.owner { state.change(owner) { $0.sleeping += 1 } }
            state.sign = .now
            condition.signal()
            return nil
        }
        if let result { sleeper.continuation.resume(with: result) }
    }

    /// Blocks the calling thread until each handler that has started has ended or sleeps.
    ///
    /// - Parameter limit: The real time without any activity after which it gives up.
    /// - Returns: the descriptions of the handlers that still work after the limit; empty on success.
    func settle(limit: Duration) -> [String] {
        condition.lock()
        defer { condition.unlock() }
        guard !state.isStill else { return [] }
        state.sign = .now
        while !state.isStill {
            var wait = state.sign + limit
            if state.jobs == 0, let first = state.settleEndless() { wait = min(wait, first) }
            guard !state.isStill else { break }
            if state.sign + limit <= .now {
                let working = state.actors.values.filter(\.isWorking).sorted { $0.order < $1.order }
                return working.isEmpty ? ["a task that outlives its handler"] : working.map { $0.describe() }
            }
            _ = condition.wait(for: ContinuousClock.now.duration(to: wait))
        }
        return []
    }
}

extension VirtualHandlerExecutor.State {
    /// Whether no handler works and no job waits.
    fileprivate var isStill: Bool { jobs == 0 && working == 0 }

    /// The index of the first sleeper whose process is not stopped.
    fileprivate var nextSleeper: Int? {
        guard !frozen.isEmpty else { return sleepers.isEmpty ? nil : 0 }
        return sleepers.firstIndex { sleeper in
            guard let owner = sleeper.owner, let process = actors[owner]?.process else { return true }
            return !frozen.contains(process)
        }
    }

    fileprivate mutating func wake(at index: Int) -> VirtualHandlerExecutor.Sleeper {
        let sleeper = sleepers.remove(at: index)
        if let owner = sleeper.owner {
            change(owner) { actor in
                actor.sleeping -= 1
                guard actor.stirred != nil else { return }
                actor.stirred = .now
                actor.isSettled = false
            }
        }
        sign = .now
        return sleeper
    }

    /// Marks endless handlers as settled that have worked for longer than `VirtualHandlerExecutor.patience`.
    ///
    /// - Returns: when the next endless handler can be settled; `nil` if there is none.
    fileprivate mutating func settleEndless() -> ContinuousClock.Instant? {
        var first: ContinuousClock.Instant?
        for (id, actor) in actors where actor.isWorking {
            guard let stirred = actor.stirred else { continue }
            let end = stirred + VirtualHandlerExecutor.patience
            if end <= .now {
                change(id) { $0.isSettled = true }
            } else {
                first = min(first ?? end, end)
            }
        }
        return first
    }
}
