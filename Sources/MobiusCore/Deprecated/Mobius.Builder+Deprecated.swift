extension Mobius.Builder {
    /// With `logger`, in place of one set before.
    @available(*, deprecated, renamed: "withLogger(_:)")
    public func logger<Logger: MobiusLogger>(
        _ logger: Logger
    ) -> Mobius.Builder<Model, Event, Effect>
    where Logger.Model == Model, Logger.Event == Event, Logger.Effect == Effect {
        withLogger(logger)
    }

    /// With a function that decides on each start which model and effects the loop starts with.
    ///
    /// It serves loops and controllers, unless a controller is given its own.
    @available(*, deprecated, message: "pass it to makeController(from:initiate:)")
    @preconcurrency
    public func withInitiator(
        _ initiate: @escaping Initiate<Model, Effect>
    ) -> Mobius.Builder<Model, Event, Effect> {
        with { $0.initiator = initiate }
    }
}
