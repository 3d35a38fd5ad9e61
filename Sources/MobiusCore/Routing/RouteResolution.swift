/// What a router says about one effect.
package enum RouteResolution<Event>: Sendable {
    /// No route takes it.
    case none
    /// The one route that takes it, with the effect's parameters bound.
    case one(ResolvedRoute<Event>)
    /// So many routes take it: a programmer error.
    case many(Int)
}

/// A route with the parameters of one effect bound.
package enum ResolvedRoute<Event>: Sendable {
    /// Runs in this process.
    case handler(HandlerRoute<Event>)
    /// Runs elsewhere, as its policy says.
    case remote(RemoteRoute<Event>)
}
