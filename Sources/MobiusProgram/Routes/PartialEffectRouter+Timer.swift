public import MobiusCore
public import MobiusEngine

extension _PartialEffectRouter {
    /// Routes effects to the coordinator's timers, which answer each effect with an event at its time.
    ///
    /// A timer is durable: its time is in the journal with the event that asked for it, so it fires after any crash, at
    /// once when it is overdue. Its event is applied exactly once; for a repeating timer once for each of its times, of
    /// which those missed while no coordinator ran count as one. A `.cancels` route cancels it. In a worker pool, which
    /// has no journal, it ends with the process.
    ///
    /// - Parameters:
    ///   - schedule: The times at which it fires, from the effect's parameters. It must be pure.
    ///   - onFire: The event. It must be pure.
    public func toTimer(
        _ schedule: @escaping @Sendable (EffectParameters) -> TimerSchedule,
        onFire: @escaping @Sendable (EffectParameters) -> Event
    ) -> EffectRouter<Effect, Event> {
        toRemote { parameters in
            EffectPlan(destination: .timer(schedule(parameters)))
        } answer: { parameters, news in
            news is TimerFired ? onFire(parameters) : nil
        }
    }

    /// Routes effects to the coordinator's timers, all on one schedule: see
    /// ``toTimer(_:onFire:)-((EffectParameters)->TimerSchedule,_)``.
    public func toTimer(
        _ schedule: TimerSchedule, onFire: @escaping @Sendable (EffectParameters) -> Event
    ) -> EffectRouter<Effect, Event> {
        toTimer({ _ in schedule }, onFire: onFire)
    }
}
