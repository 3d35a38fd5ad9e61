import MobiusCore
import MobiusEngine
import MobiusProgram
import MobiusTestKit
import MobiusWire
import Testing

/// Loops that begin others, which report to them and end.
private enum Family: LoopProgram {
    struct Model: Codable, Sendable, Equatable {
        var steps = 0
        var reports: [String: Int] = [:]
        var lost: [String] = []
    }

    enum Event: Codable, Sendable, Equatable {
        case wanted(child: String)
        case born(name: String)
        case stepped(name: String)
        case reported(name: String, steps: Int)
        case lost(child: String)
    }

    enum Effect: Codable, Sendable, Equatable {
        case beget(child: String)
        case step(name: String)
        case report(name: String, steps: Int)
        case end
    }

    static func initiate() -> First<Model, Effect> { First(model: Model()) }

    static func update(_ model: Model, _ event: Event) -> Next<Model, Effect> {
        var model = model
        switch event {
        case .wanted(let child): return .dispatchEffects([.beget(child: child)])
        case .born(let name): return .dispatchEffects([.step(name: name)])
        case .stepped(let name):
            model.steps += 1
            guard model.steps == 3 else { return .next(model, effects: [.step(name: name)]) }
            return .next(model, effects: [.step(name: name), .report(name: name, steps: model.steps), .end])
        case .reported(let name, let steps): model.reports[name] = steps
        case .lost(let child): model.lost.append(child)
        }
        return .next(model)
    }

    static func routes(_ end: LoopEnd = .forGood) -> EffectRouter<Effect, Event> {
        EffectRouter<Effect, Event>()
            .routeCase(Effect.beget).toLoop { child in
                (child, .born(name: child))
            } onFailure: { child, _ in
                .lost(child: child)
            }
            .routeCase(Effect.report).toLoop { name, steps in ("main", .reported(name: name, steps: steps)) }
            .routeCase(Effect.step).toTimer(.after(.seconds(1))) { name in .stepped(name: name) }
            .routeEffects(equalTo: .end).endsLoop(end)
    }
}

@Suite struct FleetLoopTests {
    private let child: LoopID

    init() throws {
        child = try #require(LoopID("child"))
    }

    @Test func aChildReportsAndEndsThroughCrashes() async throws {
        for seed in 1...20 as ClosedRange<UInt64> {
            let fleet = TestFleet(Family.self, routes: Family.routes(), seed: seed)
            fleet.send(.wanted(child: "child"))
            for _ in 0..<8 {
                try await fleet.run(for: .milliseconds(500))
                fleet.killCoordinator()
            }
            try await fleet.runUntilQuiet()
            #expect(fleet.model == Family.Model(reports: ["child": 3]))
            #expect(fleet.hasEnded(child) && !fleet.hasEnded())
            // Its last step was cancelled.
            #expect(fleet.model(of: child).steps == 3)
            fleet.send(.wanted(child: "child"))
            try await fleet.runUntilQuiet()
            #expect(fleet.model.lost == ["child"])
            try await fleet.finish()
        }
    }

    @Test func oneThatMayBeginAgainDoes() async throws {
        let fleet = TestFleet(Family.self, routes: Family.routes(.mayBeginAgain))
        for _ in 0..<2 {
            fleet.send(.wanted(child: "child"))
            try await fleet.runUntilQuiet()
            #expect(fleet.hasEnded(child))
        }
        #expect(fleet.events(of: child).count { $0 == .born(name: "child") } == 2)
        #expect(fleet.model(of: child).steps == 3)
        #expect(fleet.model.lost == [])
        try await fleet.finish()
    }
}
