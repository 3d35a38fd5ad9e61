import FleetTestSupport
import MobiusClient
import MobiusCoordinator
import MobiusCore
import MobiusProgram
import MobiusWire
import TestTraits
import Testing

/// Dead letters of a loop that has ended: operators see where they were to go, and may only drop them.
@Suite(.patient)
struct EndedLettersTests {
    @Test func theyKeepTheirPoolAndRefuseARetry() async throws {
        let folder = try TestFolder()
        let client = FleetClient(connect: "ipc://" + folder.file("clients"), timeout: .seconds(3600))
        let running = Running<Errand>(folder.file("journal"), routes: Errand.routes, clients: client.endpoint)
        try await client.send(Errand.Event.asked)
        // The failure ends the loop.
        try await eventually("the loop's end") { try await client.loops().loops.map(\.state) == [.ended] }
        let letter = try #require(try await client.deadLetters().elements.first)
        #expect(letter.pool == "nobody")
        #expect(try await client.deadLetter(letter.id).letter.pool == "nobody")
        let error = await #expect(throws: FleetClientError.self) { try await client.retryDeadLetter(letter.id) }
        #expect(error?.code == .refused && error?.message.contains("ended") == true, "\(String(describing: error))")
        #expect(try await client.dropDeadLetter(letter.id, round: letter.round) == .done)
        #expect(try await client.deadLetters().elements == [])
        await client.close()
        try await running.stop()
    }
}

private enum Errand: LoopProgram {
    struct Model: Codable, Sendable, Equatable {}

    enum Event: Codable, Sendable {
        case asked
        case failed
    }

    enum Effect: Codable, Sendable, Equatable {
        case run
        case end
    }

    static func initiate() -> First<Model, Effect> { First(model: Model()) }

    static func update(_ model: Model, _ event: Event) -> Next<Model, Effect> {
        switch event {
        case .asked: .dispatchEffects([.run])
        case .failed: .dispatchEffects([.end])
        }
    }

    static var routes: EffectRouter<Effect, Event> {
        EffectRouter<Effect, Event>()
            .routeCase(Effect.run).toWorkers(
                "nobody", policy: EffectPolicy(timeouts: EffectTimeouts(scheduleToStart: .milliseconds(500)))
            ) { _, _ in .failed }
            .routeCase(Effect.end).endsLoop()
    }
}
