import Foundation
public import MobiusCore
import MobiusEngine
public import MobiusWire
import Synchronization

// Letting time pass. Runs throw a ``TestFleetError`` when a promise is broken, when a handler does not come to rest, when the
// program is wrong, and when what they wait for does not come.
extension TestFleet {
    /// Lets so much time pass.
    ///
    /// - Throws: ``TestFleetError``; `CancellationError` when the task is cancelled.
    public func run(for duration: Duration) async throws {
        try await drive { fleet, isCancelled in
            let end = fleet.inside { world, _ in world.now + duration }
            try fleet.step(until: end, unless: isCancelled) { false }
        }
    }

    /// Lets time pass until nothing is left to do.
    ///
    /// That is: every event that was sent is in the journal, each effect has ended, and no handler runs. What goes on for ever
    /// does not count: timers that repeat, handlers that do not end by themselves, and handlers in stopped workers unless
    /// their effects are still wanted. A timer that fires once is waited for, and so are the pauses between attempts.
    ///
    /// - Parameter limit: How much time it may take: an hour.
    /// - Throws: ``TestFleetError``; its code is ``TestFleetError/Code/notReached`` when there is always more to do. An effect for a
    ///   pool without workers is waited for, too, until it times out.
    public func runUntilQuiet(within limit: Duration = .seconds(3600)) async throws {
        try await reach("everything is quiet", within: limit) { world, _ in world.isAtRest }
    }

    /// Lets time pass until a loop's model is as `condition` says.
    ///
    /// - Parameters:
    ///   - condition: Asked now, and after each event.
    ///   - loop: The loop.
    ///   - limit: How much time it may take: a minute.
    /// - Returns: the model.
    /// - Throws: ``TestFleetError``; its code is ``TestFleetError/Code/notReached`` when the limit passes.
    @discardableResult
    public func run(
        until condition: @escaping @Sendable (Program.Model) -> Bool, of loop: LoopID = .main,
        within limit: Duration = .seconds(60)
    ) async throws -> Program.Model {
        let seen = Mutex(-1)
        try await reach("the model is as expected", within: limit) { world, _ in
            let count = world.oracle.count
            guard seen.withLock({ $0 != count }) else { return false }
            seen.withLock { $0 = count }
            return condition(world.model(of: loop) ?? world.scenario.first().model)
        }
        return model(of: loop)
    }

    /// Lets time pass until `condition` is true of the fleet.
    ///
    /// ```swift
    /// try await fleet.run(untilTrue: fleet.effects.contains { $0.state == .running })
    /// ```
    /// - Parameters:
    ///   - condition: Asked now, and after each thing that happens: whenever the journal, a handler or a process has news.
    ///   - limit: How much time it may take: a minute.
    /// - Throws: ``TestFleetError``; its code is ``TestFleetError/Code/notReached`` when the limit passes.
    public func run(
        untilTrue condition: @escaping @autoclosure @Sendable () -> Bool, within limit: Duration = .seconds(60)
    ) async throws {
        try await drive { fleet, isCancelled in
            let end = fleet.inside { world, _ in world.now + limit }
            var seen = -1
            let isReached = try fleet.step(until: end, unless: isCancelled) {
                let news = fleet.inside { world, _ in world.news }
                guard news != seen else { return false }
                seen = news
                return condition()
            }
            if !isReached { throw fleet.notReached("the condition is true", limit) }
        }
    }

    /// Lets everything go on that was cut, stopped or full, and checks all promises, also those of which only the end can tell.
    ///
    /// It lets some more time pass (about half a minute) in which nothing new goes wrong. Effects may be left, as long as the
    /// coordinator still knows of each.
    ///
    /// - Throws: ``TestFleetError``; its code is ``TestFleetError/Code/promiseBroken`` when a promise is.
    public func finish() async throws {
        inside { world, _ in world.recover() }
        try await reach("every event sent is in the journal", within: .seconds(600)) { world, _ in world.isAnswered }
        try await run(for: inside { world, _ in world.timeToSettle })
        try await drive { fleet, _ in
            fleet.inside { world, _ in world.checkPromises() }
            try fleet.checkWell()
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

    /// Runs `body` where runs happen: it may block, and does while handlers work.
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

    /// - Returns: whether it is done; else the end has come.
    @discardableResult
    private func step(until end: Moment, unless isCancelled: () -> Bool, _ isDone: () -> Bool) throws -> Bool {
        while true {
            try settle()
            try checkWell()
            if isDone() { return true }
            if isCancelled() { throw CancellationError() }
            if !inside({ world, _ in world.step(until: end) }) { return false }
        }
    }

    /// Lets handlers work, and the world hear of it.
    private func settle() throws {
        let stuck = clock.stage.settle(limit: realTimeLimit.seconds)
        guard let first = stuck.first else {
            inside { world, _ in world.takeOutcomes() }
            return
        }
        throw error(
            .stuckHandler,
            """
            For \(realTimeLimit) of real time a handler has neither ended nor slept on the fleet's clock: \(first)\
            \(stuck.count > 1 ? ", and \(stuck.count - 1) more" : ""). While it works, virtual time stands still. Give it the \
            fleet's clock to sleep on, and fakes that answer at once in the place of the outside world; let one that never \
            ends be a Connectable; give work that really takes so long a longer realTimeLimit
            """)
    }

    private func checkWell() throws {
        let (failure, complaint) = inside { world, _ in (world.failure, world.complaints.first) }
        if let failure { throw error(.program, "The program cannot go on: \(failure)") }
        if let complaint { throw error(.promiseBroken, "A promise is broken: \(complaint)") }
    }

    private func notReached(_ what: String, _ limit: Duration) -> TestFleetError {
        let unfinished = inside { world, _ in world.unfinishedBusiness }
        return error(.notReached, "After \(limit) it is not so that \(what). \(unfinished)")
    }

    private func error(_ code: TestFleetError.Code, _ message: String) -> TestFleetError {
        TestFleetError(code, message, seed: seed, trace: trace)
    }
}

/// Whether somebody does not want to go on.
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
