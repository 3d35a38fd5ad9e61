/// The routes that match one effect.
package enum RouteResolution<Effect, Event>: Sendable {
    /// No route takes it.
    case none
    /// The one route that takes it, with the effect's parameters bound.
    case one(ResolvedRoute<Effect, Event>)
    /// Several routes take it, a programmer error; the number of routes.
    case many(Int)
}

/// A route with the parameters of one effect bound.
package enum ResolvedRoute<Effect, Event>: Sendable {
    /// Runs in this process.
    case handler(HandlerRoute<Event>)
    /// Runs in another process, according to its policy.
    case remote(RemoteRoute<Event>)
    /// Cancels running effects, and ends at once.
    case cancels(CancelRoute<Effect>)
}

/// A route that cancels effects, with the parameters of one effect bound.
package struct CancelRoute<Effect>: Sendable {
    /// Whether to cancel a running effect; a user function.
    package let matches: @Sendable (_ effectUnderWay: Effect) -> Bool
}
