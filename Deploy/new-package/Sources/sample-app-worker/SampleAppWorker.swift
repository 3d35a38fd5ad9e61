import MobiusCore
import MobiusWorker
import SampleApp

/// A process that does the work; start as many as you like.
@main struct SampleAppWorker: WorkerCommand {
    static let pool = "sample-app"

    var handler: EffectRouter<SampleApp.Effect, SampleApp.Event> { SampleApp.handlers }
}
