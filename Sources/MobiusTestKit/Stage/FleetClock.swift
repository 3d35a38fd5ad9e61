/// The clock of a ``TestFleet``: its time passes when the fleet's does, and sleeping on it costs nothing.
///
/// Give it to handlers where they sleep, in the place of a `ContinuousClock`:
///
/// ```swift
/// let clock = FleetClock()
/// let fleet = TestFleet(
///     Shop.self, routes: shopRoutes, workers: [.pool("bank") { bankHandlers(clock: clock) }], clock: clock)
/// ```
/// Its instants are those of `ContinuousClock`, so that `EffectContext.deadline` can be compared with ``now``. A clock
/// belongs to one fleet. A sleep ends when the fleet has run that far, so one outside of handlers waits for the test to
/// run the fleet.
public final class FleetClock: Clock, Sendable {
    /// A time on this clock.
    public typealias Instant = ContinuousClock.Instant

    let stage = HandlerStage()

    /// A clock for a fleet that is yet to be made.
    public init() {}

    /// The fleet's time.
    public var now: Instant { stage.instant(of: stage.now) }

    /// A nanosecond: times are exact.
    public var minimumResolution: Duration { .nanoseconds(1) }

    /// Sleeps until the fleet's time has come so far.
    ///
    /// In a handler whose process was killed meanwhile it never returns: as in a process that is gone, nothing after it
    /// happens.
    ///
    /// - Throws: `CancellationError` when the task is cancelled.
    public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
        try await stage.sleep(until: stage.moment(of: deadline))
    }
}
