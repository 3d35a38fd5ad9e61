public import MobiusCore
import MobiusProgram

extension Counter {
    /// Who carries out the effects where there are workers: sounds are played by the pool `sound-player`.
    ///
    /// A sound may take ten seconds; that it could not be played comes back as an event.
    public static var routes: EffectRouter<Effect, Event> {
        EffectRouter().routeCase(Effect.playSound).toWorkers("sound-player", timeout: .seconds(10)) { _, failure in
            .soundFailed(failure.description)
        }
    }
}
