package import MobiusEngine
package import MobiusWire

/// Where handlers run, and by which time: that of the machine, or of a test.
package struct HandlerSurroundings: Sendable {
    /// Runs jobs, begun in the order given; never waits.
    package let submit: @Sendable (consuming [HandlerThreads.Job]) -> Void
    /// What progress is measured by; `nil` for the time of the machine.
    package let clock: (@Sendable () -> Moment)?
    /// What deadlines are told by.
    package let instant: @Sendable () -> ContinuousClock.Instant
    /// Where async handlers run whose route does not say; `nil` for wherever tasks run.
    package let executor: (any TaskExecutor)?
    /// Told of handlers that start; those of a route with a policy may have waited for their turn.
    package let starts: (@Sendable (AttemptID) -> Void)?
    /// Told of handlers that have started and do not end by themselves.
    package let goesOn: (@Sendable (AttemptID) -> Void)?
    /// How much a handler may send before ``EffectRunner/acknowledged(_:events:bytes:)``; `nil` for as much as it likes.
    package let limits: SendLimits?

    package init(
        submit: @escaping @Sendable (consuming [HandlerThreads.Job]) -> Void, clock: (@Sendable () -> Moment)? = nil,
        instant: @escaping @Sendable () -> ContinuousClock.Instant = { .now }, executor: (any TaskExecutor)? = nil,
        starts: (@Sendable (AttemptID) -> Void)? = nil, goesOn: (@Sendable (AttemptID) -> Void)? = nil,
        limits: SendLimits? = nil
    ) {
        self.submit = submit
        self.clock = clock
        self.instant = instant
        self.executor = executor
        self.starts = starts
        self.goesOn = goesOn
        self.limits = limits
    }
}
