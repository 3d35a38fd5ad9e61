/// Checks a handler's result.
public typealias EventsPredicate<Effect, Event> = Predicate<EffectHandlerSpec<Effect, Event>.Result>

/// Checks that all predicates hold, for ``EffectHandlerSpec``; each failure is reported at its own line.
public func assertThatEvents<Effect, Event>(
    _ predicates: EventsPredicate<Effect, Event>...,
    failFunction: @escaping AssertionFailure = failTest
) -> (EffectHandlerSpec<Effect, Event>.Result) -> Void {
    { result in check(result, predicates, failFunction) }
}

/// The handler has sent no events.
public func hasNoEvents<Effect, Event>(
    file: StaticString = #file, line: UInt = #line
) -> EventsPredicate<Effect, Event> {
    predicate(file, line) { result in
        result.events.isEmpty
            ? nil : "Expected no events, but there are some.\n\(ValueText(result.events).named("actual"))"
    }
}

/// The handler has sent all `expected` events, in any order, and maybe others.
public func hasEvents<Effect, Event: Equatable>(
    _ expected: [Event], file: StaticString = #file, line: UInt = #line
) -> EventsPredicate<Effect, Event> {
    predicate(file, line) { result in
        Elements(nouns: "events", expected: expected, actual: result.events).complaintUnlessIncluded
    }
}

/// The handler has sent the `expected` events and no others, in any order.
public func hasOnlyEvents<Effect, Event: Equatable>(
    _ expected: [Event], file: StaticString = #file, line: UInt = #line
) -> EventsPredicate<Effect, Event> {
    predicate(file, line) { result in
        Elements(nouns: "events", expected: expected, actual: result.events).complaintUnlessSame
    }
}

/// The handler has sent the `expected` events and no others, in this order.
public func hasExactlyEvents<Effect, Event: Equatable>(
    _ expected: [Event], file: StaticString = #file, line: UInt = #line
) -> EventsPredicate<Effect, Event> {
    predicate(file, line) { result in
        Elements(nouns: "events", expected: expected, actual: result.events).complaintUnlessIdentical
    }
}

/// All effects have ended: their callbacks, tasks and sequences.
public func hasEnded<Effect, Event>(
    file: StaticString = #file, line: UInt = #line
) -> EventsPredicate<Effect, Event> {
    predicate(file, line) { result in
        result.hasEnded ? nil : "Expected the effects to have ended, but they have not."
    }
}
