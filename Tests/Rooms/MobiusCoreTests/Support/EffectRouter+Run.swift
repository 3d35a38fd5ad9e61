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

    /// The same for effects of cases that the router has not seen, and again now that it knows them.
    func eventsTwice(for effects: Effect...) -> [Event] where Event: Equatable {
        let runs = (0..<2).map { _ in
            let events = Recorder<Event>()
            let connection = connect { events.record($0) }
            for effect in effects { connection.accept(effect) }
            connection.dispose()
            return events.values
        }
        return runs[0] == runs[1] ? runs[1] : []
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
