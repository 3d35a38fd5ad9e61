import Foundation
import MobiusCore
import MobiusTest
import Testing

// example: states
enum Chapter: Equatable, Sendable {
    case loading
    case loaded(text: String, isBookmarked: Bool)
    case failed(reason: String)
}
// end

// example: in-place
struct Ledger: Sendable {
    var amounts: [Int] = []
    var total = 0
}

enum LedgerEvent: Sendable {
    case booked(Int)
    case corrected(index: Int, Int)
}

enum LedgerEffect: Equatable, Sendable {
    case print(total: Int)
}

func update(ledger: inout Ledger, event: LedgerEvent) -> Change<LedgerEffect> {
    switch event {
    case .booked(let amount):
        ledger.amounts.append(amount)
        ledger.total += amount
        return .next(effects: [.print(total: ledger.total)])
    case .corrected(let index, let amount):
        guard ledger.amounts.indices.contains(index) else { return .noChange }
        ledger.total += amount - ledger.amounts[index]
        ledger.amounts[index] = amount
        return .next()
    }
}
// end

// example: context
enum Raffle: ContextLoopProgram {
    struct Model: Codable, Equatable, Sendable {
        var name: String
        var guests: [String: Int64] = [:]
        var winner: String?
    }

    enum Event: Codable, Sendable { case entered(String), drawn }
    enum Effect: Codable, Equatable, Sendable { case congratulate(String, ticket: String) }

    static func initiate(_ context: LoopContext) -> First<Model, Effect> {
        First(model: Model(name: String(context.key)))
    }

    static func update(_ model: Model, _ event: Event, _ context: LoopContext) -> Next<Model, Effect> {
        var model = model
        switch event {
        case .entered(let guest):
            model.guests[guest] = context.milliseconds
            return .next(model)
        case .drawn:
            var random = context.random
            guard let winner = model.guests.keys.sorted().randomElement(using: &random) else { return .noChange }
            model.winner = winner
            return .next(model, effects: [.congratulate(winner, ticket: context.id())])
        }
    }
}
// end

@Suite("Examples: models")
struct ModelExamples {
    @Test("what a raffle draws is decided by its context")
    func context() {
        let first = Raffle.initiate(LoopContext(loop: "raffle/spring")).model
        #expect(first.name == "spring")
        // example: context-test
        let noon = LoopContext(loop: "raffle/spring", number: 3, time: Date(timeIntervalSince1970: 1_800_000_000))
        UpdateSpec(Update(Raffle.self, in: noon))
            .given(Raffle.Model(name: "spring", guests: ["Ada": 1, "Bob": 2]))
            .when(.drawn)
            .then(assertThatNext(hasExactlyEffects([.congratulate("Bob", ticket: noon.id())])))
        // end
    }

    @Test("a loop of an update in place")
    func inPlace() {
        let router = EffectRouter<LedgerEffect, LedgerEvent> { _ in .nothing }
        // example: in-place-loop
        let loop = Mobius.loop(update: Update(inPlace: update), effectHandler: router)
            .start(from: Ledger())
        // end
        loop.dispatchEvent(.booked(3))
        loop.dispatchEvent(.booked(4))
        loop.dispatchEvent(.corrected(index: 0, 5))
        loop.dispatchEvent(.corrected(index: 7, 5))
        #expect(loop.latestModel.total == 9)
    }

    @Test("an enum has one state at a time")
    func states() {
        let chapter = Chapter.loaded(text: "Chapter 1", isBookmarked: true)
        #expect(chapter != .loading)
    }
}
