import Foundation
public import MobiusCore
import MobiusEngine
public import MobiusWire
import Synchronization

// Advancing time. All runs throw a ``TestFleetError`` when a promise is broken, a handler is stuck, the program has an
// error, or the awaited condition is not reached.
extension TestFleet {
    /// Advances virtual time by `duration`.
    ///
    /// - Throws: ``TestFleetError``; `CancellationError` when the task is cancelled.
    public func run(for duration: Duration) async throws {
        try await drive { fleet, isCancelled in
            let end = fleet.inside { world, _ in world.now + duration }
            try fleet.step(until: end, unless: isCancelled) { false }
        }
    }

    /// Advances virtual time until nothing is left to do.
    ///
    /// Then every event that was sent is in the journal, each effect has ended, and no handler runs. Repeating timers,
    /// what loops have left for their ends, and handlers that do not end by themselves are ignored, and so are handlers in
    /// stopped workers whose effects have ended. It does wait for timers that fire once, for the pauses between attempts, and for effects whose pool
    /// has no workers.
    ///
    /// - Parameter limit: The maximum virtual time to advance. The default is one hour.
    /// - Throws: ``TestFleetError``; its code is ``TestFleetError/Code/notReached`` when the limit passes.
    public func runUntilQuiet(within limit: Duration = .seconds(3600)) async throws {
        try await reach("everything is quiet", within: limit) { world, _ in world.isAtRest }
    }

    /// Advances virtual time until a loop's model satisfies `condition`.
    ///
    /// - Parameters:
    ///   - condition: Evaluated at once, and again after each event of any loop.
    ///   - loop: The loop.
    ///   - limit: The maximum virtual time to advance. The default is one minute.
    /// - Returns: the model.
    /// - Throws: ``TestFleetError``; its code is ``TestFleetError/Code/notReached`` when the limit passes.
    @discardableResult
    public func run(
        until condition: @escaping @Sendable (Program.Model) -> Bool, of loop: LoopID = .main,
        within limit: Duration = .seconds(60)
    ) async throws -> Program.Model {
        let seen = Mutex(-1)
        try await reach("the model is as expected", within: limit) { world, _ in
            let count = world.modelChecker.count
            guard seen.withLock({ $0 != count }) else { return false }
            seen.withLock { $0 = count }
            return condition(world.model(of: loop) ?? world.firstModel(of: loop))
        }
        return model(of: loop)
    }

    /// Advances virtual time until `condition` is true.
    ///
    /// ```swift
    /// try await fleet.run(untilTrue: fleet.effects.contains { $0.state == .running })
    /// ```
    /// - Parameters:
    ///   - condition: Evaluated at once, and again after each change in the journal, a handler or a process.
    ///   - limit: The maximum virtual time to advance. The default is one minute.
    /// - Throws: ``TestFleetError``; its code is ``TestFleetError/Code/notReached`` when the limit passes.
    public func run(
        untilTrue condition: @escaping @autoclosure @Sendable () -> Bool, within limit: Duration = .seconds(60)
    ) async throws {
        try await drive { fleet, isCancelled in
            let end = fleet.inside { world, _ in world.now + limit }
            var seen = -1
            let isReached = try fleet.step(until: end, unless: isCancelled) {
                let changeCount = fleet.inside { world, _ in world.changeCount }
                guard changeCount != seen else { return false }
                seen = changeCount
                return condition()
            }
            if !isReached { throw fleet.notReached("the condition is true", limit) }
        }
    }

    /// Repairs all faults, and checks all promises, including those that can be checked only at the end.
    ///
    /// It reconnects the network, continues stopped processes, frees the disk, and advances virtual time by about half
    /// a minute without new faults. Effects may be pending, but the coordinator must track each of them. It replays the events of
    /// each loop, up to 100,000 in all, to find an `update` that is not pure.
    ///
    /// - Throws: ``TestFleetError``; its code is ``TestFleetError/Code/promiseBroken`` when a promise is broken.
    public func finish() async throws {
        inside { world, _ in world.recover() }
        try await reach("every event sent is in the journal", within: .seconds(600)) { world, _ in world.isAnswered }
        try await run(for: inside { world, _ in world.timeToSettle })
        try await drive { fleet, _ in
            fleet.inside { world, _ in world.checkPromises() }
            try fleet.throwFailure()
        }
    }

    // MARK: - Steps

    private func reach(
        _ what: String, within limit: Duration,
        _ isReached: @escaping @Sendable (World<Program>, FleetRecord<Program>) -> Bool
    ) async throws {
        try await drive { fleet, isCancelled in
            let end = fleet.inside { world, _ in world.now + limit }
            let done = try fleet.step(until: end, unless: isCancelled) { fleet.inside(isReached) }
            if !done { throw fleet.notReached(what, limit) }
        }
    }

    /// Runs `body` on the fleet's queue; it blocks that queue's thread while handlers work.
    private func drive(_ body: @escaping @Sendable (TestFleet, () -> Bool) throws -> Void) async throws {
        let isCancelled = Flag()
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                queue.async { [self] in
                    continuation.resume(with: Result { try body(self) { isCancelled.value } })
                }
            }
        } onCancel: {
            isCancelled.set()
        }
    }

    /// - Returns: whether `isDone` became true before `end`.
    @discardableResult
    private func step(until end: Moment, unless isCancelled: () -> Bool, _ isDone: () -> Bool) throws -> Bool {
        while true {
            try settle()
            try throwFailure()
            if isDone() { return true }
            if isCancelled() { throw CancellationError() }
            if !inside({ world, _ in world.step(until: end) }) { return false }
        }
    }

    /// Waits until no handler works, and passes the outcomes to the world.
    private func settle() throws {
        let stuck = clock.stage.settle(limit: realTimeLimit)
        guard let first = stuck.first else {
            inside { world, _ in world.takeOutcomes() }
            return
        }
        throw error(
            .stuckHandler,
            """
            A handler has neither ended nor slept on the fleet's clock for \(realTimeLimit) of real time: \(first)\
            \(stuck.count > 1 ? ", and \(stuck.count - 1) more" : ""). Virtual time stands still while a handler works. Pass \
            the fleet's clock to handlers that sleep, and fakes that answer at once instead of real clients. Write a handler \
            that never ends as a Connectable. If the work takes this long, set a longer realTimeLimit.
            """)
    }

    private func throwFailure() throws {
        let (failure, violation) = inside { world, _ in (world.failure, world.violations.first) }
        if let failure { throw error(.program, "The program has an error: \(failure)") }
        if let violation { throw error(.promiseBroken, "A promise is broken: \(violation)") }
    }

    private func notReached(_ what: String, _ limit: Duration) -> TestFleetError {
        let unfinished = inside { world, _ in world.unfinishedBusiness }
        return error(.notReached, "After \(limit), it is still not true that \(what). \(unfinished)")
    }

    private func error(_ code: TestFleetError.Code, _ message: String) -> TestFleetError {
        TestFleetError(code, message, seed: seed, trace: trace)
    }
}

/// Whether the task of a run was cancelled.
private final class Flag: Sendable {
    private let state = Atomic(false)

    var value: Bool { state.load(ordering: .relaxed) }

    func set() { state.store(true, ordering: .relaxed) }
}

extension Duration {
    var seconds: Double {
        Double(components.seconds) + Double(components.attoseconds) / 1e18
    }
}
