/// The virtual clock of a ``TestFleet``, on which sleeping takes no real time.
///
/// Pass it to handlers that sleep, instead of a `ContinuousClock`:
///
/// ```swift
/// let clock = FleetClock()
/// let fleet = TestFleet(
///     Shop.self, routes: shopRoutes, workers: [.pool("bank") { bankHandlers(clock: clock) }], clock: clock)
/// ```
/// Its instants are those of `ContinuousClock`, so `EffectContext.deadline` can be compared with ``now``. A clock
/// belongs to one fleet. Time passes only while the fleet runs, so a sleep outside of handlers ends only after the test
/// has run the fleet up to its deadline.
public final class FleetClock: Clock, Sendable {
    /// An instant of this clock.
    public typealias Instant = ContinuousClock.Instant

    let stage = VirtualHandlerExecutor()

    /// Creates a clock for a new fleet.
    public init() {}

    /// The fleet's current virtual time.
    public var now: Instant { stage.instant(of: stage.now) }

    /// The resolution is one nanosecond, and deadlines are met exactly.
    public var minimumResolution: Duration { .nanoseconds(1) }

    /// Sleeps until the fleet's time reaches `deadline`.
    ///
    /// It never returns in a handler whose process is killed during the sleep: a killed handler does not continue.
    ///
    /// - Parameters:
    ///   - deadline: The time at which the sleep ends.
    ///   - tolerance: Ignored.
    /// - Throws: `CancellationError` when the task is cancelled.
    public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
        try await stage.sleep(until: stage.moment(of: deadline))
    }
}
