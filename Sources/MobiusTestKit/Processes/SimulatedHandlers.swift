import MobiusCore
import MobiusDriver
import MobiusEngine
import MobiusProgram
import MobiusRuntime
import MobiusWire

/// A simulated coordinator's local handlers.
protocol SimulatedHandlers: LocalHandlers {
    /// Takes each outcome.
    var deliver: (HandlerOutcome) -> Void { get set }
    /// The process stops, or goes on.
    func freeze(_ isFrozen: Bool)
    /// The process is gone.
    func vanish()
}

extension SimulatedHandlers {
    var isTracing: Bool { false }

    func traceparent(of id: AttemptID) -> String { "" }
}

/// The real handlers of an app.
final class StagedHandlers<Program: LoopProgram>: SimulatedHandlers {
    private unowned let world: World<Program>
    private let handlers: ProcessHandlers<Program>
    private let process: String
    var deliver: (HandlerOutcome) -> Void = { _ in }

    init(_ world: World<Program>, _ handlers: ProcessHandlers<Program>, of process: String) {
        self.world = world
        self.handlers = handlers
        self.process = process
    }

    func run(_ orders: consuming [EffectOrder]) {
        for order in orders {
            world.chronicle.started(order.id, order.effect, by: process, at: world.now)
            guard let effect = try? world.effects.decode(order.effect) else { continue }
            world.tell(process, "begins \(effect), attempt \(order.id)")
            handlers.run(order, effect)
        }
    }

    func acknowledged(_ id: AttemptID, events: Int, bytes: Int) {
        handlers.acknowledged(id, events: events, bytes: bytes)
    }

    func ended(_ id: AttemptID) { handlers.ended(id) }

    func cancelAll() { handlers.vanish() }

    func freeze(_ isFrozen: Bool) { handlers.freeze(isFrozen) }

    func vanish() { handlers.vanish() }
}

/// Handlers that follow the scenario's script.
final class ScriptedHandlers<Program: LoopProgram>: SimulatedHandlers {
    private unowned let world: World<Program>
    private let process: String
    private var runs: [AttemptID: HandlerRun<Program>] = [:]
    private var isFrozen = false
    /// Runs whose next step was due while the process was stopped.
    private var overdue: [HandlerRun<Program>] = []
    var deliver: (HandlerOutcome) -> Void = { _ in }

    init(_ world: World<Program>, of process: String) {
        self.world = world
        self.process = process
    }

    func run(_ orders: consuming [EffectOrder]) {
        for order in orders {
            world.chronicle.started(order.id, order.effect, by: process, at: world.now)
            guard let effect = try? world.effects.decode(order.effect) else { continue }
            let steps = world.scenario.handle(effect, HandlerCall(id: order.id, process: process), &world.chance)
            let run = HandlerRun<Program>(order.id, steps)
            runs[order.id] = run
            goOn(run, after: world.chance.microseconds(0...3000))
        }
    }

    func acknowledged(_ id: AttemptID, events: Int, bytes: Int) {}

    func ended(_ id: AttemptID) {}

    func cancelAll() { runs = [:] }

    func freeze(_ isFrozen: Bool) {
        self.isFrozen = isFrozen
        guard !isFrozen else { return }
        let due = overdue
        overdue = []
        for run in due { goOn(run, after: .zero) }
    }

    func vanish() { runs = [:] }

    private func goOn(_ run: HandlerRun<Program>, after pause: Duration) {
        world.plan(after: pause) { [self] _ in advance(run) }
    }

    private func advance(_ run: HandlerRun<Program>) {
        guard runs[run.id] != nil else { return }
        guard !isFrozen else { return overdue.append(run) }
        switch run.next() {
        case .wait(let pause): goOn(run, after: pause)
        case .act(let deed):
            deed()
            goOn(run, after: .zero)
        case .send(let event): report(run, world.payload(event), final: false)
        case .finish(let event): report(run, event.map(world.payload), final: true)
        case .sendNonsense, .finishWithNonsense, .fail, .hang, .progress:
            preconditionFailure("A local handler's mistakes end its process; simulate handlers without mistakes.")
        }
    }

    private func report(_ run: HandlerRun<Program>, _ event: Payload?, final: Bool) {
        world.chronicle.emitted(run.id, event, final: final)
        if final { runs[run.id] = nil }
        deliver(.report(run.id, event: event, final: final))
        if !final { goOn(run, after: world.chance.microseconds(0...2000)) }
    }
}
