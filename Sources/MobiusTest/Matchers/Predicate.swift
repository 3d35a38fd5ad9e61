/// Checks a value.
public typealias Predicate<T> = (T) -> PredicateResult

/// The result of a predicate.
public enum PredicateResult: Sendable {
    /// The value is as expected.
    case success
    /// The value is not as expected: the message, and the line of the test that expects it.
    case failure(message: String, file: StaticString, line: UInt)
}

/// Reports a failure: a message, with file and line.
///
/// `XCTFail` is one, ``failTest(_:_:_:)`` the default.
public typealias AssertionFailure = (String, StaticString, UInt) -> Void

/// Checks `value` with all predicates and reports each failure.
func check<T>(_ value: T, _ predicates: [Predicate<T>], _ failFunction: AssertionFailure) {
    for predicate in predicates {
        if case .failure(let message, let file, let line) = predicate(value) { failFunction(message, file, line) }
    }
}
