import MobiusCore
package import MobiusDriver
import MobiusEngine
import MobiusProgram
import MobiusRuntime
import MobiusWire

/// A simulated coordinator's local handlers.
package protocol SimulatedHandlers: LocalHandlers {
    /// Called with each outcome.
    var deliver: (HandlerOutcome) -> Void { get set }
    /// Stops or continues the handlers together with their process.
    func freeze(_ isFrozen: Bool)
    /// Ends all handlers without outcomes, because their process has ended.
    func endWithProcess()
}

extension SimulatedHandlers {
    package var isTracing: Bool { false }

    package func traceparent(of id: AttemptID) -> String { "" }
}

/// A simulated worker's handlers.
package protocol SimulatedWorkerHandlers: WorkerHandlers {
    /// The attempts whose handlers have not ended, and were not cancelled, where that is known.
    var unfinished: [AttemptID] { get }
    /// Stops or continues the handlers together with their process.
    func freeze(_ isFrozen: Bool)
    /// Ends all handlers without outcomes, because their process has ended.
    func endWithProcess()
}

/// The real handlers of the routes that stay in the coordinator.
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
            world.history.started(order.id, order.effect, by: process, at: world.now)
            guard let effect = try? world.effect(order) else { continue }
            world.log(process, "begins \(effect), attempt \(order.id)")
            handlers.run(order, effect)
        }
    }

    func acknowledged(_ id: AttemptID, events: Int, bytes: Int) {
        handlers.acknowledged(id, events: events, bytes: bytes)
    }

    func ended(_ id: AttemptID) { handlers.ended(id) }

    func cancel(_ id: AttemptID) { handlers.cancel(id) }

    func cancelAll() { handlers.endWithProcess() }

    func freeze(_ isFrozen: Bool) { handlers.freeze(isFrozen) }

    func endWithProcess() { handlers.endWithProcess() }
}
