import MobiusCore
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

@Suite("Examples: models")
struct ModelExamples {
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
