import MobiusCore
import MobiusDriver
import MobiusEngine
import MobiusRuntime
import MobiusTestKit
import MobiusWire

/// The scripted handlers of a simulated worker, whose process may end between any two steps.
final class ScriptedWorkerHandlers<Program: LoopProgram>: SimulatedWorkerHandlers {
    private unowned let process: MobiusTestKit.WorkerProcess<Program>
    private unowned let simulation: Simulation<Program>
    /// The handlers that have not ended.
    private(set) var runs: [AttemptID: HandlerRun<Program>] = [:]
    private(set) var progress: [AttemptID: Moment] = [:]
    /// The number of unacknowledged events at which a handler waits before it sends the next one.
    private let sendLimit: Int
    /// The largest number of handlers that ran at the same time.
    var mostRuns = 0

    /// The percentage of handlers that ignore a cancellation.
    private static var ignoredCancellations: Int { 15 }

    init(_ process: MobiusTestKit.WorkerProcess<Program>, in simulation: Simulation<Program>) {
        self.process = process
        self.simulation = simulation
        sendLimit = process.world.chance.pick([1, 2, 1024])
    }

    private var world: World<Program> { process.world }

    var name: String { process.name }
    var capacity: Int { process.capacity }
    var effectKinds: [PayloadKind] { [] }
    var isTracing: Bool { false }

    func traceparent(of id: AttemptID) -> String { "" }

    var unfinished: [AttemptID] { runs.values.filter { !$0.isOver }.map(\.id) }

    /// Those that wait for acknowledgements.
    var waiting: [HandlerRun<Program>] {
        runs.values.filter(\.waitsForRoom).sorted { $0.id.effect < $1.id.effect }
    }

    // Their steps are the process's.
    func freeze(_ isFrozen: Bool) {}

    func endWithProcess() {}

    func run(_ orders: consuming [EffectOrder]) {
        for order in orders { run(order) }
    }

    private func run(_ order: EffectOrder) {
        guard let effect = process.read(order) else { return }
        let call = HandlerCall(id: order.id, process: process.name)
        let steps = simulation.isFlooding ? [.hang] : simulation.scenario.handle(effect, call, &world.chance)
        let run = HandlerRun<Program>(order.id, steps)
        runs[order.id] = run
        mostRuns = max(mostRuns, runs.count)
        if runs.count > process.capacity {
            world.violated(
                .credit, "\(process.name) runs \(runs.count) handlers with a capacity of \(process.capacity)")
        }
        schedule(run, after: world.chance.microseconds(0...200))
    }

    func ended(_ id: AttemptID) {
        runs[id]?.isOver = true
        runs[id] = nil
        progress[id] = nil
    }

    func acknowledged(_ id: AttemptID, events: Int, bytes: Int) {
        guard let run = runs[id] else { return }
        run.unacknowledged -= events
        if run.unacknowledged < 0 {
            world.violated(.conduct, "\(process.name) received acknowledgements for more events than \(id) has sent")
        }
        if run.waitsForRoom, run.unacknowledged < sendLimit { endWait(of: run) }
    }

    private func endWait(of run: HandlerRun<Program>) {
        run.waitsForRoom = false
        schedule(run, after: .zero)
    }

    // MARK: Steps

    private func schedule(_ run: HandlerRun<Program>, after pause: Duration) {
        world.plan(after: pause) { [self, process] _ in process.act { self.advance(run) } }
    }

    private func advance(_ run: HandlerRun<Program>) {
        guard !run.isOver else { return }
        let step = run.next()
        switch step {
        case .wait(let pause): schedule(run, after: pause)
        case .progress:
            progress[run.id] = world.now
            world.history.progressed(run.id, at: world.now)
            schedule(run, after: .zero)
        case .act(let deed):
            world.trace(process.name, "performs a side effect of \(run.id)")
            deed()
            schedule(run, after: .zero)
        case .send(let event): send(run, step, world.payload(event, for: run.id.effect.loop))
        case .sendUndecodable(let bytes): send(run, step, world.nonsense(bytes), isNonsense: true)
        case .finish where run.hasGap, .finishWithUndecodable where run.hasGap: report(run, nil, final: true)
        case .finish(let event): report(run, event.map { world.payload($0, for: run.id.effect.loop) }, final: true)
        case .finishWithUndecodable(let bytes): report(run, world.nonsense(bytes), final: true, isNonsense: true)
        case .fail(let retryable, let delay, let reason):
            world.history.failed(run.id, retryable: retryable, delay: delay, reason: reason, at: world.now)
            world.trace(process.name, "\(run.id) fails\(retryable ? " for now" : ""): \(reason)")
            process.handOver(.failed(run.id, HandlerFailure(reason, retryable: retryable, delay: delay)))
        case .hang where run.isCancelled: report(run, nil, final: true)
        case .hang: run.hangs = true
        }
    }

    /// Sends an event, or waits for acknowledgements at the limit; there, a cancelled handler's event is dropped.
    private func send(
        _ run: HandlerRun<Program>, _ step: HandlerStep<Program.Event>, _ event: Payload, isNonsense: Bool = false
    ) {
        if run.hasGap {
            schedule(run, after: .zero)
        } else if run.unacknowledged < sendLimit {
            run.unacknowledged += 1
            report(run, event, final: false, isNonsense: isNonsense)
        } else if run.isCancelled {
            run.hasGap = true
            schedule(run, after: .zero)
        } else {
            run.putBack(step)
            run.waitsForRoom = true
            run.waits += 1
            if !world.isFaulty { simulation.expectRoom(for: run, in: process) }
        }
    }

    private func report(_ run: HandlerRun<Program>, _ event: Payload?, final: Bool, isNonsense: Bool = false) {
        world.history.emitted(run.id, event, final: final, isNonsense: isNonsense)
        world.trace(
            process.name,
            """
            \(run.id) reports \(event.map { world.summary($0, for: run.id.effect.loop) } ?? "nothing")\
            \(final ? " and ends" : "")
            """)
        process.handOver(.report(run.id, event: event, final: final))
        if !final { schedule(run, after: world.chance.microseconds(0...2000)) }
    }

    /// Cancels a handler: most handlers end soon without an event, some ignore the cancellation.
    func cancel(_ id: AttemptID) {
        process.cancels(id)
        guard let run = runs[id], !run.isOver else { return }
        world.trace(process.name, "cancels \(id)")
        run.isCancelled = true
        world.history.cancelled(id)
        if world.chance.percent(Self.ignoredCancellations), !run.hangs {
            if run.waitsForRoom { endWait(of: run) }
            return
        }
        run.isOver = true
        let pause = world.chance.microseconds(world.chance.percent(20) ? 5000...400_000 : 0...5000)
        world.plan(after: pause) { [self, process] _ in process.act { self.endCancelled(id) } }
    }

    private func endCancelled(_ id: AttemptID) {
        world.trace(process.name, "\(id) has stopped")
        world.history.failed(id, retryable: true, delay: 0, reason: "it was cancelled", at: world.now)
        process.handOver(.report(id, event: nil, final: true))
    }
}
