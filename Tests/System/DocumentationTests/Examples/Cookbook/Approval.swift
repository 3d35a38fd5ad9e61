import MobiusCore
import MobiusTestKit
import Testing

// example: program
/// An expense, which a person approves or rejects within three days.
enum Expense: LoopProgram {
    enum State: String, Codable, Sendable { case idle, waiting, approved, rejected, expired }

    struct Model: Codable, Sendable, Equatable {
        var state = State.idle
        var decidedBy: String?
    }

    enum Event: Codable, Sendable, Equatable {
        case submitted(cents: Int)
        case approved(by: String)
        case rejected(by: String)
        case threeDaysPassed
        case notAsked(String)
    }

    enum Effect: Codable, Sendable, Equatable {
        case askForApproval(cents: Int)
        case waitThreeDays
        case stopWaiting
    }

    static func initiate() -> First<Model, Effect> { First(model: Model()) }

    static func update(_ model: Model, _ event: Event) -> Next<Model, Effect> {
        var model = model
        switch (event, model.state) {
        case (.submitted(let cents), .idle):
            model.state = .waiting
            return .next(model, effects: [.askForApproval(cents: cents), .waitThreeDays])
        case (.approved(let person), .waiting):
            (model.state, model.decidedBy) = (.approved, person)
            return .next(model, effects: [.stopWaiting])
        case (.rejected(let person), .waiting):
            (model.state, model.decidedBy) = (.rejected, person)
            return .next(model, effects: [.stopWaiting])
        case (.threeDaysPassed, .waiting):
            model.state = .expired
            return .next(model)
        default:
            return .noChange  // a decision that comes too late, or a second one
        }
    }
}
// end

// example: routes
extension Expense {
    static let routes = EffectRouter<Effect, Event>()
        .routeCase(Effect.askForApproval).toWorkers("mail") { _, failure in .notAsked(failure.description) }
        .routeCase(Effect.waitThreeDays).toTimer(.after(.seconds(3 * 86_400))) { .threeDaysPassed }
        .routeCase(Effect.stopWaiting).cancels { underWay in underWay == .waitThreeDays }
}
// end

@Suite("Cookbook: a person's approval")
struct ApprovalRecipe {
    private func fleet() -> TestFleet<Expense> {
        TestFleet(
            Expense.self, routes: Expense.routes,
            workers: [.pool("mail") { EffectRouter().routeCase(Expense.Effect.askForApproval).to { _ in } }])
    }

    // example: test
    @Test func aDecisionEndsTheWaiting() async throws {
        let fleet = fleet()
        fleet.send(.submitted(cents: 4_900))
        try await fleet.run(for: .seconds(2 * 86_400))
        fleet.send(.approved(by: "Ada"), key: "approval-4711")
        try await fleet.runUntilQuiet()
        #expect(fleet.model == Expense.Model(state: .approved, decidedBy: "Ada"))
        #expect(fleet.effects.allSatisfy { $0.state == .ended })  // the timer is cancelled
        try await fleet.finish()
    }
    // end

    @Test func withoutADecisionItExpiresAndTheLateOneIsIgnored() async throws {
        let fleet = fleet()
        fleet.send(.submitted(cents: 4_900))
        fleet.killCoordinator(at: .afterCommit)
        try await fleet.run(for: .seconds(3 * 86_400 + 60))
        fleet.send(.approved(by: "Ada"))
        try await fleet.run(for: .seconds(60))
        #expect(fleet.model == Expense.Model(state: .expired))
        try await fleet.finish()
    }
}
