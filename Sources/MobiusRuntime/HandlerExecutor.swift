package import MobiusEngine
package import MobiusWire

/// The executor of handlers and its clocks: those of the system, or of a test.
package struct HandlerExecutor: Sendable {
    /// Runs jobs, begun in the order given; never blocks.
    package let submit: @Sendable (consuming [HandlerThreads.Job]) -> Void
    /// The clock that measures progress; `nil` for the system clock.
    package let clock: (@Sendable () -> Moment)?
    /// The clock for deadlines.
    package let instant: @Sendable () -> ContinuousClock.Instant
    /// Runs the async handlers whose route names no executor; `nil` for Swift's default.
    package let executor: (any TaskExecutor)?
    /// Called when a handler starts; handlers of a route with a policy may have waited for their turn.
    package let onStart: (@Sendable (AttemptID) -> Void)?
    /// Called when a handler has started that does not end by itself.
    package let onEndlessStart: (@Sendable (AttemptID) -> Void)?
    /// The limits on what a handler sends before ``EffectRunner/acknowledged(_:events:bytes:)``; `nil` for none.
    package let limits: SendLimits?

    package init(
        submit: @escaping @Sendable (consuming [HandlerThreads.Job]) -> Void, clock: (@Sendable () -> Moment)? = nil,
        instant: @escaping @Sendable () -> ContinuousClock.Instant = { .now }, executor: (any TaskExecutor)? = nil,
        onStart: (@Sendable (AttemptID) -> Void)? = nil, onEndlessStart: (@Sendable (AttemptID) -> Void)? = nil,
        limits: SendLimits? = nil
    ) {
        self.submit = submit
        self.clock = clock
        self.instant = instant
        self.executor = executor
        self.onStart = onStart
        self.onEndlessStart = onEndlessStart
        self.limits = limits
    }
}
