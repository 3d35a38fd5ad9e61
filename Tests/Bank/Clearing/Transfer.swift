public import MobiusCore
public import MobiusProgram

/// Money that goes from one account to another, such as `transfer/4711`: it asks the one to pay, then the other to take.
///
/// What one does not want to take goes back. It asks one question at a time, and each has exactly one answer.
public enum Transfer: InPlaceContextLoopProgram, FleetProgram {
    /// What a transfer knows.
    public struct Model: Codable, Equatable, Sendable {
        /// What was requested.
        public var request: Request?
        /// Where it stands.
        public var stage = Stage.new
        /// The number of its last question.
        public var question = 0
        /// Whether that has no answer yet.
        public var isAsking = false
        /// How many had an answer that left open what has happened.
        public var unclear = 0
        /// Events that must not have come, in sentences.
        public var surprises: [String] = []

        /// Describes a transfer that nobody has requested.
        public init() {}
    }

    /// From which account how much goes to which.
    public struct Request: Codable, Hashable, Sendable {
        /// The key of the account that pays.
        public var from: String
        /// The key of the account that is paid.
        public var to: String
        /// How much.
        public var amount: Int

        /// Describes a request.
        public init(from: String, to: String, amount: Int) {
            (self.from, self.to, self.amount) = (from, to, amount)
        }
    }

    /// Where a transfer stands.
    public enum Stage: String, Codable, Sendable {
        /// Nobody has requested it.
        case new
        /// It asks the one to pay.
        case paying
        /// It asks that this is taken back, for it does not know whether it was paid.
        case withdrawing
        /// It asks the other to take.
        case crediting
        /// It asks the one to take it back.
        case returning
        /// The other has it.
        case done
        /// Nobody has paid.
        case refused

        /// Whether it has ended.
        public var isEnd: Bool { self == .done || self == .refused }
    }

    /// What can happen.
    public enum Event: Codable, Hashable, Sendable {
        /// From outside: money shall go.
        case requested(Request)
        /// The answer to the question of this number.
        case answered(Int, Answer)
    }

    /// What becomes of a question.
    public enum Answer: Codable, Hashable, Sendable {
        /// The posting of this name is made, or taken back.
        case agreed(String)
        /// It is not.
        case refused
        /// Nobody knows.
        case unclear
    }

    /// What a transfer asks for.
    public enum Effect: Codable, Hashable, Sendable {
        /// An answer of an account, in time.
        case ask(Question)
        /// The same, however long it takes: a limit that is too short for all answers would have it ask for ever.
        case insist(Question)
    }

    /// A question to an account.
    public struct Question: Codable, Hashable, Sendable {
        /// From 1.
        public var number: Int
        /// The key of the account.
        public var account: String
        /// What it is asked.
        public var event: Account.Event
    }

    /// Loops such as `transfer/4711`.
    public static let kind: LoopKind = "transfer"

    /// The routes without a limit of time.
    public static let routes: EffectRouter<Effect, Event> = routes(patience: nil)

    /// Its questions go to accounts, which have so much time to answer when they are asked first.
    public static func routes(patience: Duration?) -> EffectRouter<Effect, Event> {
        EffectRouter<Effect, Event>()
            .routeCase(Effect.ask).asks(timeout: patience) { question in
                (Address<Account>(question.account), question.event)
            } answer: { question, answer in
                .answered(question.number, Answer(answer))
            }
            .routeCase(Effect.insist).asks { question in
                (Address<Account>(question.account), question.event)
            } answer: { question, answer in
                .answered(question.number, Answer(answer))
            }
    }

    /// A transfer that nobody has requested.
    public static func initiate(_ context: LoopContext) -> First<Model, Effect> { First(model: Model()) }

    /// Asks the next question.
    public static func update(_ model: inout Model, _ event: Event, _ context: LoopContext) -> Change<Effect> {
        let name = String(context.key)
        switch event {
        case .requested(let request):
            guard model.request == nil else { return surprise("requested twice", &model) }
            model.request = request
            return ask(.paying, name, &model)
        case .answered(let number, let answer):
            guard model.isAsking, number == model.question else {
                return surprise("question \(number) was answered, and \(model.question) is the last", &model)
            }
            model.isAsking = false
            if answer == .unclear { model.unclear += 1 }
            if case .agreed(let posting) = answer, posting != self.posting(model.stage, name) {
                return surprise("in \(model.stage) it heard of \(posting)", &model)
            }
            return next(answer, name, &model)
        }
    }

    private static func next(_ answer: Answer, _ name: String, _ model: inout Model) -> Change<Effect> {
        switch (model.stage, answer) {
        case (.paying, .agreed): return ask(.crediting, name, &model)
        case (.paying, .unclear): return ask(.withdrawing, name, &model)
        case (.crediting, .agreed): return end(.done, &model)
        case (.crediting, .refused): return ask(.returning, name, &model)
        case (.paying, .refused), (.withdrawing, .agreed), (.returning, .agreed): return end(.refused, &model)
        case (.withdrawing, .unclear), (.crediting, .unclear), (.returning, .unclear):
            return ask(model.stage, name, &model)
        case (.withdrawing, .refused), (.returning, .refused), (.new, _), (.done, _), (.refused, _):
            return surprise("in \(model.stage) the answer was \(answer)", &model)
        }
    }

    private static func ask(_ stage: Stage, _ name: String, _ model: inout Model) -> Change<Effect> {
        guard let request = model.request else { return surprise("it asks, and nobody has requested it", &model) }
        let posting = posting(stage, name)
        let (account, event): (String, Account.Event) =
            switch stage {
            case .paying: (request.from, .posted(.init(name: posting, amount: -request.amount)))
            case .withdrawing: (request.from, .withdrawn(posting))
            case .returning: (request.from, .posted(.init(name: posting, amount: request.amount, isReturn: true)))
            case .crediting, .new, .done, .refused:
                (request.to, .posted(.init(name: posting, amount: request.amount)))
            }
        let isAgain = model.stage == stage
        (model.stage, model.isAsking) = (stage, true)
        model.question += 1
        let question = Question(number: model.question, account: account, event: event)
        return .next(effects: [isAgain ? .insist(question) : .ask(question)])
    }

    /// The name of the posting that a stage is about.
    static func posting(_ stage: Stage, _ name: String) -> String {
        switch stage {
        case .paying, .withdrawing: "\(name) pays"
        case .returning: "\(name) returns"
        case .crediting, .new, .done, .refused: "\(name) arrives"
        }
    }

    private static func end(_ stage: Stage, _ model: inout Model) -> Change<Effect> {
        model.stage = stage
        return .next()
    }

    private static func surprise(_ sentence: String, _ model: inout Model) -> Change<Effect> {
        model.surprises.append(sentence)
        return .next()
    }
}

extension Transfer.Answer {
    /// What an answer says to a transfer.
    init(_ answer: LoopAnswer<String>) {
        self =
            switch answer {
            case .answer(let posting): .agreed(posting)
            case .refused: .refused
            case .nothing, .failed: .unclear
            }
    }
}
