import MobiusCore

extension EffectRouter where Event: Sendable {
    /// The events that a loop gets for `effects`, as far as they come before the last `accept` returns.
    func events(for effects: Effect...) -> [Event] {
        let events = Recorder<Event>()
        let connection = asConnectable.connect { events.record($0) }
        for effect in effects { connection.accept(effect) }
        connection.dispose()
        return events.values
    }

    /// How `effect` is resolved, in a form that tests can compare.
    func outcome(for effect: Effect) -> RouteOutcome {
        switch resolve(effect) {
        case .none: .none
        case .one(.handler): .handler
        case .one(.remote): .remote
        case .one(.cancels): .cancels
        case .many(let count): .many(count)
        }
    }

    /// The remote route of `effect`, or `nil` if it has none.
    func remote(for effect: Effect) -> RemoteRoute<Event>? {
        guard case .one(.remote(let route)) = resolve(effect) else { return nil }
        return route
    }

    /// What runs `effect`, or `nil` without exactly one route to a handler.
    func handler(for effect: Effect) -> HandlerRoute<Event>? {
        guard case .one(.handler(let handler)) = resolve(effect) else { return nil }
        return handler
    }
}

/// How an effect is resolved.
enum RouteOutcome: Equatable {
    case none, handler, remote, cancels, many(Int)
}
