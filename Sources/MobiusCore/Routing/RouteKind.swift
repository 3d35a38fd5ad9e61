/// What running a handler does to the thread that runs it.
package enum RouteKind: Sendable, Equatable {
    /// It may hold the calling thread until it has done its work (a plain closure, an ``EffectHandler``).
    case blocking
    /// It returns at once and ends later (an async closure, or a queue of its own).
    case suspending
    /// It does not end by itself: it runs until it is disposed of (a ``Connectable``).
    case endless
}
