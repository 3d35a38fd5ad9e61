import MobiusCoordinator
import MobiusCore
import MobiusExtras
import MobiusWorker
import Testing

/// What the documentation comments of programs, of their results and of coordinators show.
@Suite("Comments: programs") struct ProgramComments {
    // example: comment-program
    enum Greeter: LoopProgram {
        struct Model: Codable, Sendable { var greetings: [String] = [] }
        enum Event: Codable, Sendable { case arrived(String), greeted(String) }
        enum Effect: Codable, Sendable { case greet(String) }

        static func initiate() -> First<Model, Effect> { First(model: Model()) }

        static func update(_ model: Model, _ event: Event) -> Next<Model, Effect> {
            switch event {
            case .arrived(let name): .dispatchEffects([.greet(name)])
            case .greeted(let words): .next(Model(greetings: model.greetings + [words]))
            }
        }
    }
    // end

    private let router = EffectRouter<Greeter.Effect, Greeter.Event>()
        .routeCase(Greeter.Effect.greet).toEvent { name in .greeted("Hello, \(name)!") }

    @Test("a loop")
    func loop() {
        // example: comment-loop
        let loop = Mobius.loop(update: Greeter.update, effectHandler: router)
            .withLogger(SimpleLogger(tag: "greeter"))
            .start(from: Greeter.Model())
        loop.addObserver { model in print(model.greetings) }
        loop.dispatchEvent(.arrived("Ada"))
        // end
        #expect(loop.latestModel.greetings == ["Hello, Ada!"])
        loop.dispose()
    }

    @Test("a start with an effect, and the four results")
    func results() {
        #expect(Note.initiate() == First(model: Note.Model(), effects: [.load]))
        let model = Note.Model(text: "a")
        #expect(Note.update(model, .renamed("b")) == .next(Note.Model(text: "b")))
        #expect(Note.update(model, .cleared) == .next(Note.Model(), effects: [.save(Note.Model())]))
        #expect(Note.update(model, .saveTapped) == .dispatchEffects([.save(model)]))
        #expect(Note.update(model, .saved) == .noChange)
    }

    enum Note: LoopProgram {
        struct Model: Codable, Equatable, Sendable { var text = "" }
        enum Event: Codable, Sendable { case renamed(String), cleared, saveTapped, saved }
        enum Effect: Codable, Equatable, Sendable { case load, save(Model) }

        // example: comment-first
        static func initiate() -> First<Model, Effect> {
            First(model: Model(), effects: [.load])
        }
        // end

        static func update(_ model: Model, _ event: Event) -> Next<Model, Effect> {
            // example: comment-next
            switch event {
            case .renamed(let text): .next(Model(text: text))  // a new model
            case .cleared: .next(Model(), effects: [.save(Model())])  // a new model, and an effect
            case .saveTapped: .dispatchEffects([.save(model)])  // an effect; the model stays
            case .saved: .noChange
            }
            // end
        }
    }

    @Test("an update in place, and a masked model")
    func inPlace() {
        var model = Purchase.Model(cardNumber: "4711")
        let change: Change<Purchase.Effect> = Purchase.update(&model, .ordered("tea"))
        #expect(change == .next(effects: [.charge("tea")]))
        #expect(model.items == ["tea"])
        #expect(Purchase.redact(model).cardNumber == "***")
        #expect(Purchase.redact(model).items == ["tea"])
    }

    private func coordinator(_ routes: EffectRouter<Greeter.Effect, Greeter.Event>) async throws {
        // example: comment-coordinator-service
        let settings = CoordinatorSettings(
            name: "greeter", bind: "tcp://127.0.0.1:5701", journal: .file("greeter.journal"))
        let coordinator = Coordinator<Greeter>(settings, routes: routes)
        try await coordinator.run()  // or as one service of a ServiceGroup
        // end
    }

    private struct Bank: Sendable {
        func charge(_ item: String, idempotencyKey: String) async throws {}
    }

    private func purchases(_ bank: Bank) -> EffectRouter<Purchase.Effect, Purchase.Event> {
        EffectRouter()
            // example: comment-context
            .routeCase(Purchase.Effect.charge).toWork { item, context in
                // The key is the same in each attempt, so the bank charges once.
                try await bank.charge(item, idempotencyKey: context.idempotencyKey)
                return .charged(item)
            }
        // end
    }

    private static func heard(_ answer: LoopAnswer<Seats.Receipt>) -> Trip.Event {
        // example: comment-answer
        switch answer {
        case .answer(let receipt): .reserved(seats: receipt.seats)
        case .nothing: .refused("the train did not answer")
        case .refused(let reason): .refused(reason)
        case .failed(let failure): .refused("it is not known whether there are seats: \(failure)")
        }
        // end
    }

    private var questions: EffectRouter<Trip.Effect, Trip.Event> {
        EffectRouter()
            // example: comment-asks
            .routeCase(Trip.Effect.reserve).asks(timeout: .seconds(10)) { train, seats in
                (Address<Seats>(train), .asked(seats: seats))
            } answer: { _, answer in
                Self.heard(answer)
            }
        // end
    }

    private var policies: EffectRouter<Purchase.Effect, Purchase.Event> {
        EffectRouter()
            // example: comment-policy
            .routeCase(Purchase.Effect.charge).toWorkers(
                "payments",
                policy: EffectPolicy(
                    timeouts: EffectTimeouts(startToClose: .seconds(30)), retry: RetryPolicy(attempts: 3),
                    limit: EffectLimit("payment-api", concurrency: 10))
            ) { item, failure in .refused(item, failure.description) }
        // end
    }

    @Test("limits")
    func limits() {
        // example: comment-limits
        let mail = EffectLimit("mail", concurrency: 5)  // five at a time
        let api = EffectLimit("api", rate: .init(100, per: .seconds(60), burst: 10))  // 100 a minute, ten at once
        let licence = EffectLimit("licence", concurrency: 3, scope: .cluster)  // three in all shards together
        // end
        #expect([mail, api, licence].map(\.name) == ["mail", "api", "licence"])
    }

    @Test("a loop's name")
    func names() {
        #expect(Self.loop(of: "4711")?.name == "order/4711")
        #expect(Self.loop(of: String(repeating: "7", count: 200)) == nil)
    }

    // example: comment-fact-convertible
    enum Stage: String, Codable, FactConvertible { case draft, waitingForApproval, shipped }
    // end

    @Test("facts")
    func facts() {
        // example: comment-facts
        let facts: Facts = ["stage": "waitingForApproval", "total": 120, "due": nil]
        // end
        let same: Facts = ["stage": Stage.waitingForApproval, "total": 120.0]
        #expect(facts == same)
        #expect(facts["total"] == .integer(120) && facts["due"] == nil)
    }

    private static func loop(of number: String) -> LoopID? {
        // example: comment-loop-id
        guard let order = LoopID("order/\(number)") else { return nil }  // longer than 128 bytes
        // end
        return order
    }
}

enum Purchase {
    struct Model: Codable, Equatable, Sendable {
        var items: [String] = []
        var cardNumber = ""
    }

    enum Event: Codable, Sendable {
        case ordered(String)
        case charged(String)
        case refused(String, String)
    }

    enum Effect: Codable, Equatable, Sendable { case charge(String) }
}

extension Purchase: InPlaceLoopProgram {
    static func initiate() -> First<Model, Effect> { First(model: Model()) }

    // example: comment-in-place
    static func update(_ model: inout Model, _ event: Event) -> Change<Effect> {
        switch event {
        case .ordered(let item):
            model.items.append(item)  // in place: a million items are not copied
            return .next(effects: [.charge(item)])
        case .charged, .refused: return .noChange
        }
    }
    // end
}

// example: comment-redacting
extension Purchase: RedactingProgram {
    static func redact(_ model: Model) -> Model {
        var masked = model
        masked.cardNumber = "***"
        return masked
    }
}
// end

enum Order: LoopProgram {
    struct Model: Codable, Sendable, Equatable {
        var stage = ProgramComments.Stage.draft
        var customer = ""
        var total = 0
        var due: WallTime?
    }
    enum Event: Codable, Sendable { case priced(Int) }
    typealias Effect = Never

    static func initiate() -> First<Model, Effect> { First(model: Model()) }

    static func update(_ model: Model, _ event: Event) -> Next<Model, Effect> {
        var model = model
        if case .priced(let total) = event { model.total = total }
        return .next(model)
    }
}

// example: comment-findable
extension Order: FindableProgram {
    static func facts(_ model: Model) -> Facts {
        ["stage": model.stage, "customer": model.customer, "total": model.total, "due": model.due]
    }
}
// end
