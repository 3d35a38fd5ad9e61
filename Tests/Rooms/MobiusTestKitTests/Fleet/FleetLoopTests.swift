import Foundation
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

/// Each draw is a ticket of the loop's own, with the time of the draw.
private enum Raffle: ContextLoopProgram {
    struct Ticket: Codable, Sendable, Equatable {
        var id: String
        var prize: Int
        var drawn: Int64
    }

    static func initiate(_ context: LoopContext) -> First<[Ticket], String> {
        First(
            model: [Ticket(id: context.id(), prize: 0, drawn: context.milliseconds)], effects: ["begun \(context.id())"]
        )
    }

    static func update(_ model: [Ticket], _ event: String, _ context: LoopContext) -> Next<[Ticket], String> {
        var random = context.random
        let ticket = Ticket(
            id: context.id(), prize: Int.random(in: 1...1000, using: &random), drawn: context.milliseconds)
        return .next(model + [ticket], effects: ["drawn \(ticket.id) at \(context.loop)"])
    }
}

@Suite struct FleetContextTests {
    @Test func contextsAreTheSameThroughCrashes() async throws {
        for seed in 1...10 as ClosedRange<UInt64> {
            let fleet = TestFleet(
                Raffle.self, routes: EffectRouter { _ in .toTimer(.after(.seconds(3600))) { "later" } }, seed: seed,
                date: Date(timeIntervalSince1970: 1_900_000_000))
            for draw in 0..<6 {
                fleet.send("draw \(draw)")
                try await fleet.run(for: .milliseconds(700))
                fleet.killCoordinator()
            }
            try await fleet.run(for: .seconds(2))
            let tickets = fleet.model
            #expect(tickets.count == 7 && Set(tickets.map(\.id)).count == 7)
            #expect(tickets.allSatisfy { (1_900_000_000_000...1_900_000_010_000).contains($0.drawn) })
            #expect(zip(tickets, tickets.dropFirst()).allSatisfy { $0.drawn <= $1.drawn })
            // Replays all of it.
            try await fleet.finish()
        }
    }
}
