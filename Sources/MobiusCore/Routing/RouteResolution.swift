/// What a router says about one effect.
package enum RouteResolution<Effect, Event>: Sendable {
    /// No route takes it.
    case none
    /// The one route that takes it, with the effect's parameters bound.
    case one(ResolvedRoute<Effect, Event>)
    /// So many routes take it: a programmer error.
    case many(Int)
}

/// A route with the parameters of one effect bound.
package enum ResolvedRoute<Effect, Event>: Sendable {
    /// Runs in this process.
    case handler(HandlerRoute<Event>)
    /// Runs elsewhere, as its policy says.
    case remote(RemoteRoute<Event>)
    /// Cancels effects under way, and is over at once.
    case cancels(CancelRoute<Effect>)
}

/// A route that cancels effects, with the parameters of one effect bound.
package struct CancelRoute<Effect>: Sendable {
    /// Whether an effect under way is to be cancelled; a function of the user's.
    package let matches: @Sendable (_ effectUnderWay: Effect) -> Bool
}
