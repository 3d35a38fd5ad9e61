public import MobiusCore
import MobiusProgram

extension Counter {
    /// The routes for loops with workers: the pool `sound-player` plays the sounds.
    ///
    /// A late sound is useless: it must begin within ten seconds and end within ten more, and only the loss of its
    /// player causes a second attempt. A failure comes back as an event, and no dead letter is kept.
    public static var routes: EffectRouter<Effect, Event> {
        let policy = EffectPolicy(
            timeouts: EffectTimeouts(scheduleToStart: .seconds(10), startToClose: .seconds(10)),
            retry: RetryPolicy(attempts: 2), keepsDeadLetters: false)
        return EffectRouter().routeCase(Effect.playSound).toWorkers("sound-player", policy: policy) { _, failure in
            .soundFailed(failure.description)
        }
    }
}
