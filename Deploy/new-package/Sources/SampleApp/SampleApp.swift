import MobiusCore

/// Items are added, a worker processes each of them, and the results are kept.
public enum SampleApp: LoopProgram {
    /// What is known: a value, which the journal keeps.
    public struct Model: Codable, Equatable, Sendable {
        /// The results, by item.
        public var results: [String: String]
        /// The items that could not be processed, with the reason.
        public var failures: [String: String]

        /// A model with these results and failures.
        public init(results: [String: String] = [:], failures: [String: String] = [:]) {
            self.results = results
            self.failures = failures
        }
    }

    /// What can happen.
    public enum Event: Codable, Equatable, Sendable {
        /// Somebody added an item.
        case added(item: String)
        /// A worker processed an item.
        case processed(item: String, result: String)
        /// An item could not be processed, and why.
        case failed(item: String, reason: String)
    }

    /// What the program asks for.
    public enum Effect: Codable, Equatable, Sendable {
        /// Process the item.
        case process(item: String)
    }

    /// The beginning: nothing is known.
    public static func initiate() -> First<Model, Effect> {
        First(model: Model())
    }

    /// Decides what an event changes and what is to be done; it is pure: it only computes.
    public static func update(_ model: Model, _ event: Event) -> Next<Model, Effect> {
        var model = model
        switch event {
        case .added(let item):
            // An item that has its result is not processed again.
            guard model.results[item] == nil else { return .noChange }
            model.failures[item] = nil
            return .next(model, effects: [.process(item: item)])
        case .processed(let item, let result):
            model.results[item] = result
        case .failed(let item, let reason):
            model.failures[item] = reason
        }
        return .next(model)
    }
}
