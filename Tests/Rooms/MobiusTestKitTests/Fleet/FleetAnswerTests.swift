import MobiusCore
import MobiusProgram
import MobiusTestKit
import MobiusWire
import Testing

/// Answers to senders, in a whole fleet.
@Suite struct FleetAnswerTests {
    /// A counter that answers with its count, and refuses to go below zero.
    enum Till: LoopProgram {
        struct Model: Codable, Sendable, Equatable { var sum = 0 }

        enum Event: Codable, Sendable, Equatable { case add(Int) }

        enum Effect: Codable, Sendable, Equatable {
            case sum(Int)
            case refuse
        }

        static func initiate() -> First<Model, Effect> { First(model: Model()) }

        static func update(_ model: Model, _ event: Event) -> Next<Model, Effect> {
            guard case .add(let amount) = event, model.sum + amount >= 0 else { return .dispatchEffects([.refuse]) }
            return .next(Model(sum: model.sum + amount), effects: [.sum(model.sum + amount)])
        }

        // An exhaustive router.
        static let routes = EffectRouter<Effect, Event> { effect in
            switch effect {
            case .sum(let sum): .toSender(sum)
            case .refuse: .refuses("there is not so much")
            }
        }
    }

    @Test func answersAndRefusalsReachTheirSendersOverCrashes() async throws {
        let fleet = TestFleet(Till.self, routes: Till.routes)
        let first = fleet.send(.add(5), key: "a")
        #expect(try fleet.answer(to: first, as: Int.self) == nil)
        try await fleet.runUntilQuiet()
        #expect(try fleet.answer(to: first, as: Int.self) == 5)
        let poor = fleet.send(.add(-9), key: "b")
        try await fleet.runUntilQuiet()
        fleet.killCoordinator()
        let again = fleet.send(.add(5), key: "a")
        let poorAgain = fleet.send(.add(-9), key: "b")
        try await fleet.runUntilQuiet()
        #expect(try fleet.answer(to: again, as: Int.self) == 5)
        #expect(fleet.confirmation(of: again)?.number == 1)
        #expect(
            fleet.refusal(of: poor) == "there is not so much" && fleet.refusal(of: poorAgain) == fleet.refusal(of: poor)
        )
        #expect(fleet.confirmation(of: poor) == nil && fleet.refusal(of: again) == nil)
        #expect(fleet.model.sum == 5)
        try await fleet.finish()
    }

    @Test func randomFaultsNeverChangeAnAnswer() async throws {
        let faults = FleetFaults([.killCoordinator])
        try await TestFleet<Till>.check(seeds: 1...20) { seed in
            TestFleet(Till.self, routes: Till.routes, seed: seed, faults: faults)
        } run: { fleet in
            let requests = (1...5).map { number in (1...3).map { _ in fleet.send(.add(number), key: "\(number)") } }
            try await fleet.run(for: .seconds(60))
            for same in requests {
                let answers = try same.map { try fleet.answer(to: $0, as: Int.self) }
                try #require(answers[0] != nil && Set(answers).count == 1, "\(answers)")
            }
            try #require(fleet.model.sum == 15)
        }
    }
}
