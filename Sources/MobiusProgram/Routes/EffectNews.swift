import MobiusEngine
package import MobiusWire

/// The value passed to a timer's route when it fires; a route to workers gets an `EffectFailure`.
package struct TimerFired: Sendable {
    package init() {}
}

/// The value passed to the route of an event for another loop that asks, for what that loop told it.
package struct AskedLoopReplied: Sendable {
    let reply: SenderReply?

    package init(reply: SenderReply?) {
        self.reply = reply
    }
}

/// The value passed to the route of an event for another loop, for that event.
package struct LoopDelivery: Sendable {
    package init() {}
}

extension EffectFailure {
    /// The failure that a coordinator or a pool passes to a route; `nil` for another value, which a route gets only if
    /// the routes have changed since the effect was asked for.
    init?(_ news: any Sendable) {
        guard let failure = news as? EffectFailure else { return nil }
        self = failure
    }
}
