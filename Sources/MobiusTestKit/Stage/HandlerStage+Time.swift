import Foundation
package import MobiusEngine
import MobiusRuntime
import MobiusWire

// Time, which passes only when the world says so.
extension HandlerStage {
    package var now: Moment { withState { $0.now } }

    func instant(of moment: Moment) -> ContinuousClock.Instant { origin + (moment - Self.start) }

    func moment(of instant: ContinuousClock.Instant) -> Moment { Self.start + (instant - origin) }

    /// It is so late now.
    func advance(to moment: Moment) { withState { $0.now = moment } }

    /// When the next sleeper wakes.
    var nextWake: Moment? {
        withState { state in state.nextSleeper.map { state.sleepers[$0].deadline } }
    }

    /// Wakes the next sleeper.
    func wakeNext() {
        let sleeper: Sleeper? = withState { state in
            guard let index = state.nextSleeper else { return nil }
            return state.wake(at: index)
        }
        sleeper?.continuation.resume()
    }

    /// Sleeps until the world says that it is so late.
    func sleep(until deadline: Moment) async throws {
        try Task.checkCancellation()
        let owner = EffectContext.current.map { AttemptID(effect: $0.id, attempt: $0.attempt) }
        let number = withState { state in
            state.lastSleeper += 1
            return state.lastSleeper
        }
        try await withTaskCancellationHandler {
            try await withUnsafeThrowingContinuation { continuation in
                lieDown(
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

    private func lieDown(_ sleeper: Sleeper) {
        let result: Result<Void, any Error>? = withState { state in
            if let owner = sleeper.owner, state.vanished.contains(owner) { return nil }
            if state.cancelled.remove(sleeper.number) != nil { return .failure(CancellationError()) }
            if sleeper.deadline <= state.now { return .success(()) }
            let index = state.sleepers.firstIndex { sleeper.isBefore($0) } ?? state.sleepers.endIndex
            state.sleepers.insert(sleeper, at: index)
            if let owner = sleeper.owner { state.change(owner) { $0.sleeping += 1 } }
            state.sign = Date()
            condition.signal()
            return nil
        }
        if let result { sleeper.continuation.resume(with: result) }
    }

    /// Waits until each handler that has begun has ended, or sleeps.
    ///
    /// - Returns: the handlers that did neither for as long as `limit`, by the real clock; none when all is well.
    func settle(limit: TimeInterval) -> [String] {
        condition.lock()
        defer { condition.unlock() }
        guard !state.isStill else { return [] }
        state.sign = Date()
        while !state.isStill {
            var wait = state.sign.addingTimeInterval(limit)
            if state.jobs == 0, let first = state.settleEndless() { wait = min(wait, first) }
            guard !state.isStill else { break }
            if state.sign.addingTimeInterval(limit) <= Date() {
                let working = state.actors.values.filter(\.isWorking).sorted { $0.order < $1.order }
                return working.isEmpty ? ["a task that a handler left behind"] : working.map { $0.describe() }
            }
            _ = condition.wait(until: wait)
        }
        return []
    }
}

extension HandlerStage.State {
    /// Whether no handler does anything.
    fileprivate var isStill: Bool { jobs == 0 && working == 0 }

    /// The first that may wake.
    fileprivate var nextSleeper: Int? {
        guard !frozen.isEmpty else { return sleepers.isEmpty ? nil : 0 }
        return sleepers.firstIndex { sleeper in
            guard let owner = sleeper.owner, let process = actors[owner]?.process else { return true }
            return !frozen.contains(process)
        }
    }

    fileprivate mutating func wake(at index: Int) -> HandlerStage.Sleeper {
        let sleeper = sleepers.remove(at: index)
        if let owner = sleeper.owner {
            change(owner) { actor in
                actor.sleeping -= 1
                guard actor.stirred != nil else { return }
                actor.stirred = Date()
                actor.isSettled = false
            }
        }
        sign = Date()
        return sleeper
    }

    /// Lets those rest that do not end by themselves and have done nothing for a while.
    ///
    /// - Returns: when to look again.
    fileprivate mutating func settleEndless() -> Date? {
        var first: Date?
        for (id, actor) in actors where actor.isWorking {
            guard let stirred = actor.stirred else { continue }
            let end = stirred.addingTimeInterval(HandlerStage.patience)
            if end <= Date() {
                change(id) { $0.isSettled = true }
            } else {
                first = min(first ?? end, end)
            }
        }
        return first
    }
}
