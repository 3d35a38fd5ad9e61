import MobiusCore
import MobiusDriver
import MobiusEngine
import MobiusProgram
import MobiusRuntime
import MobiusTestKit
import MobiusWire

/// Local handlers that follow the scenario's script.
final class ScriptedHandlers<Program: LoopProgram>: SimulatedHandlers {
    private unowned let simulation: Simulation<Program>
    private let process: String
    private var runs: [AttemptID: HandlerRun<Program>] = [:]
    private var isFrozen = false
    /// Runs whose next step was due while the process was stopped.
    private var overdue: [HandlerRun<Program>] = []
    var deliver: (HandlerOutcome) -> Void = { _ in }

    init(_ simulation: Simulation<Program>, of process: String) {
        self.simulation = simulation
        self.process = process
    }

    private var world: World<Program> { simulation.world }

    func run(_ orders: consuming [EffectOrder]) {
        for order in orders {
            world.history.started(order.id, order.effect, by: process, at: world.now)
            guard let effect = try? world.effect(order) else { continue }
            let steps = simulation.scenario.handle(effect, HandlerCall(id: order.id, process: process), &world.chance)
            let run = HandlerRun<Program>(order.id, steps)
            runs[order.id] = run
            schedule(run, after: world.chance.microseconds(0...3000))
        }
    }

    func acknowledged(_ id: AttemptID, events: Int, bytes: Int) {}

    func ended(_ id: AttemptID) {}

    func cancel(_ id: AttemptID) { runs[id] = nil }

    func cancelAll() { runs = [:] }

    func freeze(_ isFrozen: Bool) {
        self.isFrozen = isFrozen
        guard !isFrozen else { return }
        let due = overdue
        overdue = []
        for run in due { schedule(run, after: .zero) }
    }

    func endWithProcess() { runs = [:] }

    private func schedule(_ run: HandlerRun<Program>, after pause: Duration) {
        world.plan(after: pause) { [self] _ in advance(run) }
    }

    private func advance(_ run: HandlerRun<Program>) {
        guard runs[run.id] != nil else { return }
        guard !isFrozen else { return overdue.append(run) }
        switch run.next() {
        case .wait(let pause): schedule(run, after: pause)
        case .act(let deed):
            deed()
            schedule(run, after: .zero)
        case .send(let event): report(run, world.payload(event, for: run.id.effect.loop), final: false)
        case .finish(let event): report(run, event.map { world.payload($0, for: run.id.effect.loop) }, final: true)
        case .sendUndecodable, .finishWithUndecodable, .fail, .hang, .progress:
            preconditionFailure("An error in a local handler ends its process: script only steps without errors.")
        }
    }

    private func report(_ run: HandlerRun<Program>, _ event: Payload?, final: Bool) {
        world.history.emitted(run.id, event, final: final)
        if final { runs[run.id] = nil }
        deliver(.report(run.id, event: event, final: final))
        if !final { schedule(run, after: world.chance.microseconds(0...2000)) }
    }
}
