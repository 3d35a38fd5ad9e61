import Dispatch
import Foundation
import MobiusCodec
package import MobiusEngine
import MobiusRuntime
import MobiusWire

/// Where the real handlers of a simulated fleet run, one at a time on one thread, and the time by which they sleep.
///
/// It knows of each handler whether it works, sleeps or has ended, so that the world can stand still while one works. Because
/// handlers take turns, those that share something find it in the same order in every run.
///
/// The world advances it; handlers and their tasks use it from any thread.
package final class HandlerStage: TaskExecutor {
    /// Who waits in ``HandlerStage/sleep(until:)``.
    struct Sleeper {
        let number: Int
        let deadline: Moment
        let owner: AttemptID?
        let continuation: UnsafeContinuation<Void, any Error>

        func isBefore(_ other: Sleeper) -> Bool {
            if deadline != other.deadline { return deadline < other.deadline }
            guard let owner, let theirs = other.owner, owner != theirs else { return number < other.number }
            return (owner.effect, owner.attempt) < (theirs.effect, theirs.attempt)
        }
    }

    /// A handler that has begun and not ended.
    struct Actor {
        let process: String
        /// The how manieth it was to begin.
        let order: Int
        let describe: @Sendable () -> String
        /// When one that does not end by itself was last seen to do something; `nil` for those that end.
        var stirred: Date?
        var isSettled = false
        /// Whether it has begun, and does not wait for its turn among others of its process.
        var hasStarted = false
        /// How many of its tasks sleep.
        var sleeping = 0

        var isWorking: Bool { hasStarted && sleeping == 0 && !isSettled }
    }

    struct State {
        var now: Moment
        /// Jobs that wait or run.
        var jobs = 0
        var actors: [AttemptID: Actor] = [:]
        /// How many of them work.
        var working = 0
        var begun = 0
        var isClaimed = false
        /// Handlers whose processes are gone; they never come back from their sleep.
        var vanished: Set<AttemptID> = []
        /// Processes that stand still.
        var frozen: Set<String> = []
        /// In the order in which they wake.
        var sleepers: [Sleeper] = []
        var lastSleeper = 0
        /// Sleeps that were cancelled before they began.
        var cancelled: Set<Int> = []
        var outcomes: [(process: String, outcome: HandlerOutcome)] = []
        /// When something happened last, by the real clock.
        var sign = Date()
    }

    /// When every run begins.
    package static let start = Moment(nanoseconds: 1_000_000_000)
    /// For how long a handler that does not end by itself is given the stage, once it has begun or was woken.
    static let patience: TimeInterval = 0.2

    private let queue = DispatchQueue(label: "handlers")
    let condition = NSCondition()
    // Touched with the condition's lock held.
    nonisolated(unsafe) var state: State
    /// The instant that stands for the start.
    let origin = ContinuousClock.now

    package init() {
        state = State(now: Self.start)
    }

    func withState<Result>(_ body: (inout State) -> Result) -> Result {
        condition.lock()
        defer { condition.unlock() }
        return body(&state)
    }

    /// Takes the stage for one world; `false` when another one has it.
    func claim() -> Bool {
        withState { state in
            defer { state.isClaimed = true }
            return !state.isClaimed
        }
    }

    // MARK: Jobs

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        submit([{ job.runSynchronously(on: self.asUnownedTaskExecutor()) }])
    }

    func submit(_ jobs: [@Sendable () -> Void]) {
        withState { $0.jobs += jobs.count }
        for job in jobs {
            queue.async { [self] in
                job()
                withState { state in
                    state.jobs -= 1
                    state.sign = Date()
                    if state.jobs == 0 { condition.signal() }
                }
            }
        }
    }

    /// How a runner's handlers run here.
    var surroundings: HandlerSurroundings {
        HandlerSurroundings(
            submit: { [self] (jobs: consuming [HandlerThreads.Job]) in
                submit(
                    jobs.map { job in
                        {
                            var scratch = CodingScratch()
                            job.run(&scratch)
                        }
                    })
            }, clock: { [self] in now },
            instant: { [self] in instant(of: now) },
            executor: self, starts: { [self] id in withState { $0.change(id) { $0.hasStarted = true } } },
            goesOn: { [self] in goesOn($0) })
    }

    // MARK: Handlers

    /// A handler is about to begin.
    func begins(_ id: AttemptID, in process: String, _ describe: @escaping @Sendable () -> String) {
        withState { state in
            state.begun += 1
            state.actors[id] = Actor(process: process, order: state.begun, describe: describe)
        }
    }

    /// A handler has started that does not end by itself.
    private func goesOn(_ id: AttemptID) {
        withState { $0.change(id) { $0.stirred = Date() } }
    }

    /// What a handler of that process says.
    func take(_ outcome: HandlerOutcome, from process: String) {
        withState { state in
            guard state.actors[outcome.id]?.process == process else { return }
            state.outcomes.append((process, outcome))
            state.sign = Date()
            if outcome.isFinal { state.remove(outcome.id) }
            condition.signal()
        }
    }

    /// What handlers have said since the last call, in an order that does not depend on who was quicker.
    func takeOutcomes() -> [(process: String, outcome: HandlerOutcome)] {
        let outcomes = withState { state in
            defer { state.outcomes = [] }
            return state.outcomes
        }
        guard outcomes.count > 1 else { return outcomes }
        return outcomes.enumerated().sorted { one, two in
            let (id, other) = (one.element.outcome.id, two.element.outcome.id)
            if id == other { return one.offset < two.offset }
            return (id.effect, id.attempt) < (other.effect, other.attempt)
        }.map(\.element)
    }

    /// The process is gone: its handlers neither wake nor say anything any more.
    func vanish(_ process: String) {
        withState { state in
            let ids = state.actors.filter { $0.value.process == process }.map(\.key)
            for id in ids { state.remove(id) }
            state.vanished.formUnion(ids)
            // Their continuations are dropped and their tasks never end, which is what a kill means. It costs their memory.
            state.sleepers.removeAll { sleeper in sleeper.owner.map(state.vanished.contains) ?? false }
            state.frozen.remove(process)
        }
    }

    /// The process stands still, or goes on: handlers that sleep in it wake only once it does.
    func freeze(_ process: String, _ isFrozen: Bool) {
        withState { state in
            if isFrozen { state.frozen.insert(process) } else { state.frozen.remove(process) }
        }
    }

    /// Whether a handler has begun and not ended, in a process that does not stand still, and means to end.
    var isBusy: Bool {
        withState { state in
            state.actors.values.contains { $0.stirred == nil && !state.frozen.contains($0.process) }
        }
    }

    /// Whether that handler does not end by itself.
    func isEndless(_ id: AttemptID) -> Bool { withState { $0.actors[id]?.stirred != nil } }
}

extension HandlerStage.State {
    mutating func change(_ id: AttemptID, _ body: (inout HandlerStage.Actor) -> Void) {
        guard var actor = actors[id] else { return }
        working -= actor.isWorking ? 1 : 0
        body(&actor)
        working += actor.isWorking ? 1 : 0
        actors[id] = actor
    }

    mutating func remove(_ id: AttemptID) {
        guard let actor = actors.removeValue(forKey: id) else { return }
        working -= actor.isWorking ? 1 : 0
    }
}

extension HandlerOutcome {
    var id: AttemptID {
        switch self {
        case .report(let id, _, _), .failed(let id, _): id
        }
    }

    var isFinal: Bool {
        switch self {
        case .report(_, _, let final): final
        case .failed: true
        }
    }
}
