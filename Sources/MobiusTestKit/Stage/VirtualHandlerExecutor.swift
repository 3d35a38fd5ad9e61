import Dispatch
import Foundation
import MobiusCodec
import MobiusCore
package import MobiusEngine
import MobiusRuntime
import MobiusWire

/// Runs the real handlers of a simulated fleet one at a time on one thread, and keeps the virtual time of their sleeps.
///
/// It tracks whether each handler works, sleeps or has ended, so that virtual time can stand still while one works.
/// Because handlers run one at a time, they access shared objects in the same order in every run.
///
/// The world advances its time. Handlers and their tasks use it from any thread.
package final class VirtualHandlerExecutor: TaskExecutor {
    /// A task that waits in ``VirtualHandlerExecutor/sleep(until:)``.
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

    /// A handler that has been submitted and has not ended.
    struct Actor {
        let process: String
        /// The position in the order of submission, from 1.
        let order: Int
        let describe: @Sendable () -> String
        /// The real time at which an endless handler last started or woke; `nil` for handlers that end by themselves.
        var stirred: ContinuousClock.Instant?
        /// Whether an endless handler has worked for ``VirtualHandlerExecutor/patience`` and counts as idle.
        var isSettled = false
        /// Whether the handler has started; `false` while it waits for its turn by its route's execution policy.
        var hasStarted = false
        /// The number of its tasks that sleep.
        var sleeping = 0

        var isWorking: Bool { hasStarted && sleeping == 0 && !isSettled }
    }

    struct State {
        var now: Moment
        /// The number of jobs that wait or run.
        var jobs = 0
        var actors: [AttemptID: Actor] = [:]
        /// The number of actors that work.
        var working = 0
        var begun = 0
        var isClaimed = false
        /// Handlers whose processes have ended, so that their sleeps never return.
        var vanished: Set<AttemptID> = []
        /// The names of stopped processes.
        var frozen: Set<String> = []
        /// All sleepers, in the order in which they wake.
        var sleepers: [Sleeper] = []
        var lastSleeper = 0
        /// The numbers of sleeps that were cancelled before they began.
        var cancelled: Set<Int> = []
        var outcomes: [(process: String, outcome: HandlerOutcome)] = []
        /// The real time of the last activity.
        var sign = ContinuousClock.now
    }

    /// The virtual time at which every run begins.
    package static let start = Moment(nanoseconds: 1_000_000_000)
    /// The real time that an endless handler gets after its start and after each of its sleeps.
    static let patience = Duration.milliseconds(200)

    private let queue = DispatchQueue(label: "handlers")
    let condition = MonotonicCondition()
    // Accessed with the condition's lock held.
    nonisolated(unsafe) var state: State
    /// The instant that corresponds to ``start``.
    let origin = ContinuousClock.now

    package init() {
        state = State(now: Self.start)
    }

    func withState<Result>(_ body: (inout State) -> Result) -> Result {
        condition.lock()
        defer { condition.unlock() }
        return body(&state)
    }

    /// Claims the stage for one world.
    ///
    /// - Returns: `false` if another world has claimed it.
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
                    state.sign = .now
                    if state.jobs == 0 { condition.signal() }
                }
            }
        }
    }

    /// The executor with which an `EffectRunner` runs its handlers on this stage.
    var surroundings: HandlerExecutor {
        HandlerExecutor(
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
            executor: self, onStart: { [self] id in withState { $0.change(id) { $0.hasStarted = true } } },
            onEndlessStart: { [self] in markEndless($0) })
    }

    // MARK: Handlers

    /// Registers a handler that is about to be submitted.
    func begins(_ id: AttemptID, in process: String, _ describe: @escaping @Sendable () -> String) {
        withState { state in
            state.begun += 1
            state.actors[id] = Actor(process: process, order: state.begun, describe: describe)
        }
    }

    /// Marks a started handler as one that does not end by itself.
    private func markEndless(_ id: AttemptID) {
        withState { $0.change(id) { $0.stirred = .now } }
    }

    /// Queues an outcome of a handler; ignored if its process has ended.
    func enqueue(_ outcome: HandlerOutcome, from process: String) {
        withState { state in
            guard state.actors[outcome.id]?.process == process else { return }
            state.outcomes.append((process, outcome))
            state.sign = .now
            if outcome.isFinal { state.remove(outcome.id) }
            condition.signal()
        }
    }

    /// Removes and returns all outcomes since the last call, in an order that does not depend on the speed of handlers.
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

    /// Ends all handlers of a process that has ended: their sleeps never return, and their outcomes are ignored.
    func endWithProcess(_ process: String) {
        withState { state in
            let ids = state.actors.filter { $0.value.process == process }.map(\.key)
            for id in ids { state.remove(id) }
            state.vanished.formUnion(ids)
            // Their tasks never end, as in a killed process, so the memory of the tasks and continuations leaks.
            state.sleepers.removeAll { sleeper in sleeper.owner.map(state.vanished.contains) ?? false }
            state.frozen.remove(process)
        }
    }

    /// Stops or continues the handlers of a process; while it is stopped, its sleepers do not wake.
    func freeze(_ process: String, _ isFrozen: Bool) {
        withState { state in
            if isFrozen { state.frozen.insert(process) } else { state.frozen.remove(process) }
        }
    }

    /// Whether any handler that ends by itself has not ended, in a process that is not stopped.
    var isBusy: Bool {
        withState { state in
            state.actors.values.contains { $0.stirred == nil && !state.frozen.contains($0.process) }
        }
    }

    /// Whether the handler does not end by itself.
    func isEndless(_ id: AttemptID) -> Bool { withState { $0.actors[id]?.stirred != nil } }
}

extension VirtualHandlerExecutor.State {
    mutating func change(_ id: AttemptID, _ body: (inout VirtualHandlerExecutor.Actor) -> Void) {
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
