public import MobiusCore

/// Checks the result of an update.
public typealias NextPredicate<Model, Effect> = Predicate<Next<Model, Effect>>

/// Checks that all predicates hold for the last update, for ``UpdateSpec/Then/then(_:)``.
///
/// Each failure is reported at its own line.
public func assertThatNext<Model, Event, Effect>(
    _ predicates: NextPredicate<Model, Effect>...,
    failFunction: @escaping AssertionFailure = failTest
) -> UpdateSpec<Model, Event, Effect>.Assert {
    { result in check(result.lastNext, predicates, failFunction) }
}

/// The event has neither changed the model nor asked for effects.
public func hasNothing<Model, Effect>(
    file: StaticString = #file, line: UInt = #line
) -> NextPredicate<Model, Effect> {
    predicate(file, line) { next in
        complaint(aboutModel: next.model) ?? complaint(aboutEffects: next.effects)
    }
}

/// The event has not set a model.
public func hasNoModel<Model, Effect>(
    file: StaticString = #file, line: UInt = #line
) -> NextPredicate<Model, Effect> {
    predicate(file, line) { next in
        complaint(aboutModel: next.model)
    }
}

/// The event has set any model.
public func hasModel<Model, Effect>(
    file: StaticString = #file, line: UInt = #line
) -> NextPredicate<Model, Effect> {
    predicate(file, line) { next in
        next.model == nil ? "Expected a model, but the event has set none." : nil
    }
}

/// The event has set a model that equals `expected`.
public func hasModel<Model: Equatable, Effect>(
    _ expected: Model, file: StaticString = #file, line: UInt = #line
) -> NextPredicate<Model, Effect> {
    predicate(file, line) { next in
        guard let actual = next.model else {
            return
                "Expected a model, but the event has set none.\n\(ValueText(expected).named("expected"))\n  actual: none"
        }
        return actual == expected
            ? nil : "The model is not the one expected.\n\(Difference(expected: expected, actual: actual))"
    }
}

/// The event has not asked for effects.
public func hasNoEffects<Model, Effect>(
    file: StaticString = #file, line: UInt = #line
) -> NextPredicate<Model, Effect> {
    predicate(file, line) { next in
        complaint(aboutEffects: next.effects)
    }
}

/// The event has asked for all `expected` effects, in any order, and maybe for others.
public func hasEffects<Model, Effect: Equatable>(
    _ expected: [Effect], file: StaticString = #file, line: UInt = #line
) -> NextPredicate<Model, Effect> {
    predicate(file, line) { next in
        Elements(nouns: "effects", expected: expected, actual: next.effects).complaintUnlessIncluded
    }
}

/// The event has asked for the `expected` effects and no others, in any order.
public func hasOnlyEffects<Model, Effect: Equatable>(
    _ expected: [Effect], file: StaticString = #file, line: UInt = #line
) -> NextPredicate<Model, Effect> {
    predicate(file, line) { next in
        Elements(nouns: "effects", expected: expected, actual: next.effects).complaintUnlessSame
    }
}

/// The event has asked for the `expected` effects and no others, in this order.
public func hasExactlyEffects<Model, Effect: Equatable>(
    _ expected: [Effect], file: StaticString = #file, line: UInt = #line
) -> NextPredicate<Model, Effect> {
    predicate(file, line) { next in
        Elements(nouns: "effects", expected: expected, actual: next.effects).complaintUnlessIdentical
    }
}

/// The error message if there is one.
private func complaint<Model>(aboutModel model: Model?) -> String? {
    model.map { "Expected no model, but the event has set one.\n\(ValueText($0).named("actual"))" }
}
