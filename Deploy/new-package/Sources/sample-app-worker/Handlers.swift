import MobiusCore
import MobiusWorker
import SampleApp

extension SampleApp {
    /// The work of each effect.
    ///
    /// An effect may run again after a crash, so repeating it must do no harm: `context.idempotencyKey` is the same in
    /// every attempt. A handler that throws has failed, and is tried again.
    static var handlers: EffectRouter<Effect, Event> {
        EffectRouter().routeCase(Effect.process).toWork { item, context in
            .processed(item: item, result: item.uppercased())
        }
    }
}
