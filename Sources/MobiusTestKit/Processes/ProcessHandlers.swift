package import MobiusCore
import MobiusEngine
import MobiusProgram
import MobiusRuntime
import MobiusWire

/// The real handlers of one simulated process, run by the production `EffectRunner`.
final class ProcessHandlers<Program: LoopProgram> {
    private let process: String
    private let stage: VirtualHandlerExecutor
    let runner: EffectRunner

    init(_ handlers: PlaceHandlers, of process: String, on stage: VirtualHandlerExecutor) {
        self.process = process
        self.stage = stage
        runner = handlers.run(stage.surroundings) { stage.enqueue($0, from: process) }
    }

    func run(_ order: EffectOrder, _ effect: Program.Effect) {
        let text = { @Sendable [process] in "\(effect) (effect \(order.id.effect), in \(process))" }
        stage.begins(order.id, in: process, text)
        runner.run([order])
    }

    func cancel(_ id: AttemptID) { runner.cancel(id) }

    func ended(_ id: AttemptID) { runner.ended(id) }

    func acknowledged(_ id: AttemptID, events: Int, bytes: Int) {
        runner.acknowledged(id, events: events, bytes: bytes)
    }

    var progress: [AttemptID: Moment] { runner.progress }

    func freeze(_ isFrozen: Bool) { stage.freeze(process, isFrozen) }

    /// Ends all handlers, because their process has ended.
    ///
    /// They are also cancelled, so that they release their resources in the test's process.
    func endWithProcess() {
        stage.endWithProcess(process)
        runner.cancelAll()
    }
}

/// Handlers for the processes of a place, whatever types their routers have.
package struct PlaceHandlers: Sendable {
    let run: @Sendable (HandlerExecutor, @escaping @Sendable (consuming HandlerOutcome) -> Void) -> EffectRunner

    /// The handlers of a worker, made at the start of each process.
    package init<Effect: Codable & Sendable, Event: Codable & Sendable>(
        _ router: @escaping @Sendable () -> EffectRouter<Effect, Event>
    ) {
        run = { EffectRunner(router(), in: $0, deliver: $1) }
    }

    /// The handlers of a coordinator.
    init<Program>(_ functions: any ProgramFunctions<Program>) {
        run = { EffectRunner(functions, in: $0, deliver: $1) }
    }
}
