public import MobiusCore

/// The small app of the README: guests arrive, and each of them is greeted once.
public enum Greeter: LoopProgram {
    /// The guests who were greeted, and those who could not be.
    public struct Model: Codable, Sendable, Equatable {
        /// The guests greeted so far, in the order of the answers.
        public var greeted: [String]
        /// The guests whose greeting failed, with the reason.
        public var missed: [String: String]

        /// A model with these guests.
        public init(greeted: [String] = [], missed: [String: String] = [:]) {
            self.greeted = greeted
            self.missed = missed
        }
    }

    /// Everything that can happen.
    public enum Event: Codable, Sendable, Equatable {
        /// A guest, by name, is at the door.
        case guestArrived(String)
        /// A guest has been greeted.
        case greeted(String)
        /// A guest could not be greeted, and why.
        case greetingFailed(String, String)
    }

    /// Everything that the app asks for.
    public enum Effect: Codable, Sendable, Equatable {
        /// Greet the guest of this name.
        case greet(String)
    }

    /// Nobody has been greeted yet.
    public static func initiate() -> First<Model, Effect> {
        First(model: Model())
    }

    /// Asks for a greeting for each guest and records its outcome.
    public static func update(_ model: Model, _ event: Event) -> Next<Model, Effect> {
        var model = model
        switch event {
        case .guestArrived(let name):
            return .dispatchEffects([.greet(name)])
        case .greeted(let name):
            model.greeted.append(name)
        case .greetingFailed(let name, let reason):
            model.missed[name] = reason
        }
        return .next(model)
    }
}
