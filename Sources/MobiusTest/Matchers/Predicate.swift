/// Says whether a value is as expected.
public typealias Predicate<T> = (T) -> PredicateResult

/// What a predicate says.
public enum PredicateResult: Sendable {
    /// The value is as expected.
    case success
    /// The value is not as expected: what is wrong, and the line of the test that expects it.
    case failure(message: String, file: StaticString, line: UInt)
}

/// Reports a failure: a message, and the file and line it belongs to.
///
/// `XCTFail` is one, ``failTest(_:_:_:)`` the default.
public typealias AssertionFailure = (String, StaticString, UInt) -> Void

/// Puts `value` to all predicates and reports each that fails.
func check<T>(_ value: T, _ predicates: [Predicate<T>], _ failFunction: AssertionFailure) {
    for predicate in predicates {
        if case .failure(let message, let file, let line) = predicate(value) { failFunction(message, file, line) }
    }
}
