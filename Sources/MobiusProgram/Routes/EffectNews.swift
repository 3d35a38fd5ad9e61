import MobiusEngine

/// What a timer's route is told when it fires; a route to workers is told an `EffectFailure`.
package struct TimerFired: Sendable {
    package init() {}
}

extension EffectFailure {
    /// The failure that a coordinator or a pool tells a route of; `nil` when it tells of something else, which a route
    /// hears only when today's routes are not those that asked for the effect.
    init?(_ news: any Sendable) {
        guard let failure = news as? EffectFailure else { return nil }
        self = failure
    }
}
