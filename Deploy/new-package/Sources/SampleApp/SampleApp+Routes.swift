import MobiusCore
import MobiusProgram

extension SampleApp {
    /// Where each effect runs.
    ///
    /// An effect whose worker is lost, or whose handler throws, is tried up to five times. An attempt that takes
    /// longer than 30 seconds ends the effect, because the handler may still be at work; to try again then, too,
    /// use `policy:` with `RetryPolicy(onTimeout: true)`. The closure makes an event of the failure.
    public static var routes: EffectRouter<Effect, Event> {
        EffectRouter()
            .routeCase(Effect.process).toWorkers("sample-app", timeout: .seconds(30)) { item, failure in
                .failed(item: item, reason: failure.description)
            }
    }
}
