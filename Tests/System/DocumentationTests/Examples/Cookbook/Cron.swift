import MobiusCore
import MobiusTestKit
import Testing

// example: program
/// Writes a report every night at two o'clock, UTC.
enum Reporting: LoopProgram {
    struct Model: Codable, Sendable, Equatable {
        var nights = 0
        var reports: [Int] = []
    }

    enum Event: Codable, Sendable, Equatable {
        case night
        case written(Int)
        case notWritten(Int, String)
        case stopped
    }

    enum Effect: Codable, Sendable, Equatable {
        case everyNight
        case write(Int)
        case stopEveryNight
    }

    static func initiate() -> First<Model, Effect> { First(model: Model(), effects: [.everyNight]) }

    static func update(_ model: Model, _ event: Event) -> Next<Model, Effect> {
        var model = model
        switch event {
        case .night:
            model.nights += 1
            return .next(model, effects: [.write(model.nights)])
        case .written(let number):
            model.reports.append(number)
            return .next(model)
        case .notWritten:
            return .noChange  // it is a dead letter, which an operator can retry
        case .stopped:
            return .dispatchEffects([.stopEveryNight])
        }
    }
}
// end

// example: routes
extension Reporting {
    static var routes: EffectRouter<Effect, Event> {
        guard let schedule = CronSchedule("0 2 * * *") else { preconditionFailure("This is no crontab line.") }
        return EffectRouter()
            .routeCase(Effect.everyNight).toTimer(.cron(schedule)) { .night }
            .routeCase(Effect.write).toWorkers("reports", timeout: .seconds(600)) { number, failure in
                .notWritten(number, failure.description)
            }
            .routeCase(Effect.stopEveryNight).cancels { underWay in underWay == .everyNight }
    }
}
// end

@Suite("Cookbook: cron")
struct CronRecipe {
    // example: test
    @Test func aReportIsWrittenEveryNightUntilItIsStopped() async throws {
        let fleet = TestFleet(
            Reporting.self, routes: Reporting.routes,
            workers: [
                .pool("reports") { EffectRouter().routeCase(Reporting.Effect.write).toEvent { .written($0) } }
            ])
        try await fleet.run(for: .seconds(3 * 86_400))
        fleet.killCoordinator()
        fleet.send(.stopped)
        try await fleet.run(for: .seconds(3 * 86_400))
        #expect(fleet.model.reports == [1, 2, 3])
        try await fleet.finish()
    }
    // end
}
