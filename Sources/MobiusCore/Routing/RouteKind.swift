/// Whether a handler occupies the thread that runs it.
package enum RouteKind: Sendable, Equatable {
    /// It may occupy the calling thread until it has ended (a synchronous closure, an ``EffectHandler``).
    case blocking
    /// It returns at once and ends later (an async closure, or a handler on a queue).
    case suspending
    /// It runs until it is disposed of (a ``Connectable``).
    case endless
}
