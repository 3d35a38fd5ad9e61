import MobiusCore
import MobiusEngine
import MobiusProgram
import MobiusRuntime
import MobiusWire

/// The real handlers of one simulated process, run by the production `EffectRunner`.
final class ProcessHandlers<Program: LoopProgram> {
    private let process: String
    private let stage: VirtualHandlerExecutor
    let runner: EffectRunner

    init(_ router: EffectRouter<Program.Effect, Program.Event>, of process: String, on stage: VirtualHandlerExecutor) {
        self.process = process
        self.stage = stage
        runner = EffectRunner(router, in: stage.surroundings) { stage.enqueue($0, from: process) }
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
