public import MobiusCore
public import MobiusProgram

/// An account, such as `account/7`, which transfers ask for money, and to take some.
///
/// Each posting has a name, and is made once under it: so a transfer that does not know what became of a question asks again.
public enum Account: InPlaceLoopProgram, FleetProgram {
    /// What an account knows.
    public struct Model: Codable, Equatable, Sendable {
        /// What it began with; `nil` until it is opened.
        public var opened: Int?
        /// The amounts of its postings, by name.
        public var postings: [String: Int] = [:]
        /// The names of postings that were taken back, or will never be made.
        public var withdrawn: Set<String> = []
        /// The money in it.
        public var balance = 0
        /// Events that must not have come, in sentences.
        public var surprises: [String] = []

        /// Describes an account that is not open.
        public init() {}
    }

    /// What can happen.
    public enum Event: Codable, Hashable, Sendable {
        /// From outside: it begins with this money.
        case opened(Int)
        /// A transfer asks for this posting.
        case posted(Posting)
        /// A transfer asks that the posting of this name is taken back, or never made.
        case withdrawn(String)
    }

    /// What an account asks for.
    public enum Effect: Codable, Hashable, Sendable {
        /// Tell the sender that its posting of this name is made, or taken back.
        case answer(String)
        /// Tell the sender why it is not.
        case refuse(String)
        /// Tell the vault by how much the balance has changed.
        case count(Int)
    }

    /// Money that comes or goes.
    public struct Posting: Codable, Hashable, Sendable {
        /// Unique in its account.
        public var name: String
        /// Negative when it goes.
        public var amount: Int
        /// Whether it must be taken.
        public var isReturn = false
    }

    /// Loops such as `account/7`.
    public static let kind: LoopKind = "account"

    /// Answers, refusals, and the vault.
    public static let routes = EffectRouter<Effect, Event>()
        .routeCase(Effect.answer).toSender { name in name }
        .routeCase(Effect.refuse).refuses { reason in reason }
        .routeCase(Effect.count).toLoop { amount in (Address<Vault>.only, .changed(by: amount)) }

    /// An account that is not open.
    public static func initiate() -> First<Model, Effect> { First(model: Model()) }

    /// Posts, takes back, or refuses.
    public static func update(_ model: inout Model, _ event: Event) -> Change<Effect> {
        switch event {
        case .opened(let money):
            if model.opened != nil { model.surprises.append("opened twice") }
            model.opened = money
            return change(by: money, &model)
        case .posted(let posting): return post(posting, &model)
        case .withdrawn(let name):
            model.withdrawn.insert(name)
            guard let amount = model.postings.removeValue(forKey: name) else { return .next(effects: [.answer(name)]) }
            return change(by: -amount, &model, [.answer(name)])
        }
    }

    private static func post(_ posting: Posting, _ model: inout Model) -> Change<Effect> {
        let (name, amount) = (posting.name, posting.amount)
        if let known = model.postings[name] {
            if known != amount { model.surprises.append("\(name) was \(known), and is \(amount)") }
            return .dispatchEffects([.answer(name)])
        }
        guard !model.withdrawn.contains(name) else { return .dispatchEffects([.refuse("\(name) was taken back")]) }
        guard posting.isReturn || model.opened != nil && model.balance + amount >= 0 && amount % 10 != 3 else {
            return .dispatchEffects([.refuse("\(name) is against the rules")])
        }
        model.postings[name] = amount
        return change(by: amount, &model, [.answer(name)])
    }

    private static func change(by amount: Int, _ model: inout Model, _ effects: [Effect] = []) -> Change<Effect> {
        model.balance += amount
        return .next(effects: effects + [.count(amount)])
    }
}

/// The money in all accounts: one loop, `vault`.
public enum Vault: InPlaceLoopProgram, FleetProgram {
    /// What it knows.
    public struct Model: Codable, Equatable, Sendable {
        /// The sum of all changes.
        public var money = 0
        /// How many there were.
        public var changes = 0

        /// Describes an empty vault.
        public init() {}
    }

    /// What can happen.
    public enum Event: Codable, Hashable, Sendable {
        /// The balance of an account has changed.
        case changed(by: Int)
    }

    /// The loop `vault`.
    public static let kind: LoopKind = "vault"
    /// No other loop of the kind.
    public static let maximumLoops: Int? = 1

    /// An empty vault.
    public static func initiate() -> First<Model, Never> { First(model: Model()) }

    /// Adds a change.
    public static func update(_ model: inout Model, _ event: Event) -> Change<Never> {
        switch event {
        case .changed(let amount):
            model.money += amount
            model.changes += 1
        }
        return .next()
    }
}
