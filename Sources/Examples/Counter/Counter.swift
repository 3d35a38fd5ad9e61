public import MobiusCore

/// The app of the tutorial: a number that can be counted up and down, and a sound where it can't go lower.
///
/// The same program runs in one process, with worker processes, and in a coordinator with a journal.
public enum Counter: LoopProgram {
    /// The app's state.
    public struct Model: Codable, Sendable, Equatable {
        /// The number, never below zero.
        public var count: Int
        /// The reason why the last sound was not played; nil if none failed.
        public var complaint: String?

        /// A model with this number.
        public init(count: Int = 0, complaint: String? = nil) {
            self.count = count
            self.complaint = complaint
        }
    }

    /// Everything that can happen.
    public enum Event: Codable, Sendable, Equatable {
        /// The user asked for one more.
        case increment
        /// The user asked for one less.
        case decrement
        /// The sound could not be played, and why.
        case soundFailed(String)
    }

    /// Everything that the app asks for.
    public enum Effect: Codable, Sendable, Equatable {
        /// Play the sound for an attempt to go below zero.
        case playSound
    }

    /// Counting begins at zero.
    public static func initiate() -> First<Model, Effect> {
        First(model: Model())
    }

    /// Continues from the model of an earlier run, without its complaint.
    public static func resume(_ model: Model) -> First<Model, Effect> {
        First(model: Model(count: model.count))
    }

    /// Counts, and asks for a sound instead of going below zero.
    public static func update(_ model: Model, _ event: Event) -> Next<Model, Effect> {
        switch event {
        case .increment:
            return .next(Model(count: model.count + 1))
        case .decrement:
            guard model.count > 0 else { return .dispatchEffects([.playSound]) }
            return .next(Model(count: model.count - 1))
        case .soundFailed(let reason):
            return .next(Model(count: model.count, complaint: reason))
        }
    }
}
