import ArgumentParser
import FleetTestSupport
import MobiusClient
import MobiusCoordinator
import MobiusCore
import MobiusProgram
import MobiusWire
import TestTraits
import Testing

/// A coordinator with as many loops as it may have.
@Suite(.patient)
struct LoopLimitTests {
    private let folder: TestFolder
    private let client: FleetClient

    init() throws {
        folder = try TestFolder()
        client = FleetClient(connect: "ipc://" + folder.file("clients"), timeout: .seconds(3600))
    }

    private func run(_ most: Int) -> Running<Teller> {
        Running(folder.file("journal"), routes: Teller.routes, clients: client.endpoint) { $0.maximumLoops = most }
    }

    private let second = LoopID("second") ?? .main
    private let third = LoopID("third") ?? .main

    @Test func furtherLoopsAreRefusedWithTheLimitAndOthersGoOn() async throws {
        let running = run(2)
        try await client.send(Teller.Event.told, loop: second)
        let refused = await #expect(throws: FleetClientError.self) {
            try await client.send(Teller.Event.told, loop: third)
        }
        #expect(refused?.code == .refused)
        #expect(refused?.message.contains("its limit is 2 (--max-loops)") == true, "\(refused?.message ?? "")")
        let local = await #expect(throws: CoordinatorError.self) {
            try await running.coordinator.loop.loop(third).send(.told, key: "k")
        }
        #expect(local?.code == .tooManyLoops)
        try await client.send(Teller.Event.told, loop: second)
        // A loop's event for a loop that cannot begin fails as any other effect.
        try await client.send(Teller.Event.tell("third"))
        var lost: String?
        for await model in running.coordinator.loop.models {
            lost = model.lost
            if lost != nil { break }
        }
        #expect(lost?.contains("the loop third cannot begin") == true, "\(lost ?? "")")
        try await client.send(Teller.Event.tell("second"))
        for await model in running.coordinator.loop.loop(second).models where model.told == 3 { break }
        #expect(try await client.loops().loops.map(\.loop.name) == ["main", "second"])
        try await running.logged.wait(for: "a line about it") {
            $0.contains { $0.hasPrefix("warning a new loop was refused: there are as many as --max-loops limit=2") }
        }
        try await running.stop()
    }

    @Test func aLowerLimitRecoversAllThatAreThere() async throws {
        let first = run(10)
        try await client.send(Teller.Event.told, loop: second)
        try await client.send(Teller.Event.told, loop: third)
        try await first.stop()
        let running = run(1)
        try await client.send(Teller.Event.told, loop: third)
        #expect(try await client.loops().loops.count == 3)
        await #expect(throws: FleetClientError.self) {
            try await client.send(Teller.Event.told, loop: try #require(LoopID("fourth")))
        }
        try await running.stop()
    }

    @Test func theOptionSetsIt() throws {
        func limit(_ arguments: String...) throws -> Int {
            try CoordinatorOptions.parse(arguments).settings(name: "x").maximumLoops
        }
        #expect(try limit() == 2_000_000)
        #expect(try limit("--max-loops", "5") == 5)
        for wrong in ["0", "many"] {
            #expect(throws: (any Error).self) { try limit("--max-loops", wrong) }
        }
    }
}

/// Tells other loops, and remembers why one could not be told.
private enum Teller: LoopProgram {
    struct Model: Codable, Sendable, Equatable {
        var told = 0
        var lost: String?
    }

    enum Event: Codable, Sendable {
        case tell(String)
        case told
        case lost(String)
    }

    enum Effect: Codable, Sendable, Equatable {
        case tell(String)
    }

    static func initiate() -> First<Model, Effect> { First(model: Model()) }

    static func update(_ model: Model, _ event: Event) -> Next<Model, Effect> {
        var model = model
        switch event {
        case .tell(let loop): return .dispatchEffects([.tell(loop)])
        case .told: model.told += 1
        case .lost(let reason): model.lost = reason
        }
        return .next(model)
    }

    static var routes: EffectRouter<Effect, Event> {
        EffectRouter<Effect, Event>().routeCase(Effect.tell).toLoop {
            (LoopID($0) ?? .main, .told)
        } onFailure: { _, failure in
            .lost(failure.description)
        }
    }
}
