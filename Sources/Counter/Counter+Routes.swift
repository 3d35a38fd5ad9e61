public import MobiusCore
import MobiusProgram

extension Counter {
    /// Who carries out the effects where there are workers: sounds are played by the pool `sound-player`.
    ///
    /// A sound belongs to its moment: it must begin within ten seconds and end within ten more, and only the loss of its
    /// player is one more try worth. That it could not be played comes back as an event, and nothing else is kept of it.
    public static var routes: EffectRouter<Effect, Event> {
        let policy = EffectPolicy(
            timeouts: EffectTimeouts(scheduleToStart: .seconds(10), startToClose: .seconds(10)),
            retry: RetryPolicy(attempts: 2), keepsDeadLetters: false)
        return EffectRouter().routeCase(Effect.playSound).toWorkers("sound-player", policy: policy) { _, failure in
            .soundFailed(failure.description)
        }
    }
}
