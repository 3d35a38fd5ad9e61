public import MobiusCore

/// A given/when/then test of an initiate function.
///
/// ```swift
/// InitSpec(initiate)
///     .when(Model(count: 7))
///     .then(assertThatFirst(hasModel(Model(count: 7)), hasExactlyEffects([.loadUser])))
/// ```
public final class InitSpec<Model, Effect> {
    private let initiate: Initiate<Model, Effect>

    /// A test of `initiate`.
    @preconcurrency
    public init(_ initiate: @escaping Initiate<Model, Effect>) {
        self.initiate = initiate
    }

    /// When a loop is asked to start from `model`.
    public func when(_ model: Model) -> Then {
        Then(first: initiate(model))
    }

    /// The checks.
    public struct Then {
        let first: First<Model, Effect>

        /// Then `assertion` checks the start: see ``assertThatFirst(_:failFunction:)``.
        public func then(_ assertion: (First<Model, Effect>) -> Void) {
            assertion(first)
        }
    }
}
