import MobiusCoordinator
import MobiusCore
import TestTraits
import Testing

// example: program
/// Sells the seats of a train; every request gets an answer, which may be a refusal.
enum Seats: LoopProgram {
    enum Answer: Codable, Sendable, Equatable {
        case reserved(seats: [Int])
        case refused(reason: String)
    }

    struct Model: Codable, Sendable, Equatable {
        var free = Array(1...4)
        var answers: [String: Answer] = [:]
        /// The requests in the order of their answers: the oldest are forgotten first.
        var answered: [String] = []
    }

    enum Event: Codable, Sendable, Equatable { case asked(request: String, seats: Int) }

    typealias Effect = Never

    static func initiate() -> First<Model, Effect> { First(model: Model()) }

    static func update(_ model: Model, _ event: Event) -> Next<Model, Effect> {
        var model = model
        switch event {
        case .asked(let request, let seats):
            guard model.answers[request] == nil else { return .noChange }
            if seats < 1 {
                model.answers[request] = .refused(reason: "ask for one seat at least")
            } else if seats > model.free.count {
                model.answers[request] = .refused(reason: "\(model.free.count) of \(seats) seats are free")
            } else {
                model.answers[request] = .reserved(seats: Array(model.free.prefix(seats)))
                model.free.removeFirst(seats)
            }
            model.answered.append(request)
            if model.answered.count > 1_000 { model.answers[model.answered.removeFirst()] = nil }
            return .next(model)
        }
    }
}
// end

// example: ask
extension LoopHandle where Program == Seats {
    /// Sends a request and waits for its answer.
    ///
    /// After an error, repeat it under the same name.
    func reserve(_ seats: Int, request: String) async throws -> Seats.Answer {
        let models = models
        try await send(.asked(request: request, seats: seats), key: request)
        for await model in models {
            if let answer = model.answers[request] { return answer }
        }
        throw CancellationError()  // the coordinator stops
    }
}
// end

@Suite("Cookbook: request and answer", .patient)
struct RequestsRecipe {
    // example: test
    @Test func everyRequestGetsItsAnswerOnce() async throws {
        try await withCoordinator(of: Seats.self, EffectRouter()) { loop in
            var answers: [Seats.Answer] = []
            for (seats, request) in [(3, "a"), (2, "b"), (3, "a"), (1, "c")] {  // "a" is repeated
                answers.append(try await loop.reserve(seats, request: request))
            }
            #expect(
                answers == [
                    .reserved(seats: [1, 2, 3]), .refused(reason: "1 of 2 seats are free"),
                    .reserved(seats: [1, 2, 3]), .reserved(seats: [4]),
                ])
        }
    }
    // end
}
