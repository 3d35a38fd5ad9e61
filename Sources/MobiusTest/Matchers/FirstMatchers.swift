public import MobiusCore

/// Checks the start of a loop.
public typealias FirstPredicate<Model, Effect> = Predicate<First<Model, Effect>>

/// Checks the result of an ``InitSpec``.
public typealias AssertFirst<Model, Effect> = (First<Model, Effect>) -> Void

/// Checks that all predicates hold, for ``InitSpec/Then/then(_:)``; each failure is reported at its own line.
public func assertThatFirst<Model, Effect>(
    _ predicates: FirstPredicate<Model, Effect>...,
    failFunction: @escaping AssertionFailure = failTest
) -> AssertFirst<Model, Effect> {
    { first in check(first, predicates, failFunction) }
}

/// The loop starts with a model that equals `expected`.
public func hasModel<Model: Equatable, Effect>(
    _ expected: Model, file: StaticString = #file, line: UInt = #line
) -> FirstPredicate<Model, Effect> {
    predicate(file, line) { first in
        first.model == expected
            ? nil
            : "The model is not the one expected.\n\(Difference(expected: expected, actual: first.model))"
    }
}

/// The loop starts without effects.
public func hasNoEffects<Model, Effect>(
    file: StaticString = #file, line: UInt = #line
) -> FirstPredicate<Model, Effect> {
    predicate(file, line) { first in
        complaint(aboutEffects: first.effects)
    }
}

/// The loop starts with all `expected` effects, in any order, and maybe with others.
public func hasEffects<Model, Effect: Equatable>(
    _ expected: [Effect], file: StaticString = #file, line: UInt = #line
) -> FirstPredicate<Model, Effect> {
    predicate(file, line) { first in
        Elements(nouns: "effects", expected: expected, actual: first.effects).complaintUnlessIncluded
    }
}

/// The loop starts with the `expected` effects and no others, in any order.
public func hasOnlyEffects<Model, Effect: Equatable>(
    _ expected: [Effect], file: StaticString = #file, line: UInt = #line
) -> FirstPredicate<Model, Effect> {
    predicate(file, line) { first in
        Elements(nouns: "effects", expected: expected, actual: first.effects).complaintUnlessSame
    }
}

/// The loop starts with the `expected` effects and no others, in this order.
public func hasExactlyEffects<Model, Effect: Equatable>(
    _ expected: [Effect], file: StaticString = #file, line: UInt = #line
) -> FirstPredicate<Model, Effect> {
    predicate(file, line) { first in
        Elements(nouns: "effects", expected: expected, actual: first.effects).complaintUnlessIdentical
    }
}

/// The error message if there are any.
func complaint<Effect>(aboutEffects effects: [Effect]) -> String? {
    effects.isEmpty ? nil : "Expected no effects, but there are some.\n\(ValueText(effects).named("actual"))"
}
