import FleetTestSupport
import MobiusClient
import MobiusCoordinator
import MobiusCore
import MobiusProgram
import MobiusWire
import TestTraits
import Testing

/// A loop that has ended in a coordinator without a journal: it is known, though nothing of its past is.
@Suite(.patient)
struct EndedWithoutJournalTests {
    @Test func itsLastModelCanBeReadAndItsHistoryIsEmpty() async throws {
        let folder = try TestFolder()
        let client = FleetClient(connect: "ipc://" + folder.file("clients"), timeout: .seconds(3600))
        let running = Running<Parting>(folder.file("journal"), routes: Parting.routes, clients: client.endpoint) {
            $0.journal = .none
        }
        try await client.send(Parting.Event.parted)
        #expect(try await client.model(of: Parting.self).hasParted)
        #expect(try await client.loops().loops.map(\.state) == [.ended])
        #expect(try await client.history(of: .main).entries.isEmpty)
        let stranger = await #expect(throws: FleetClientError.self) {
            _ = try await client.history(of: try #require(LoopID("stranger")))
        }
        #expect(stranger?.code == .notFound)
        await client.close()
        try await running.stop()
    }
}

private enum Parting: LoopProgram {
    struct Model: Codable, Sendable, Equatable {
        var hasParted = false
    }

    enum Event: Codable, Sendable {
        case parted
    }

    enum Effect: Codable, Sendable, Equatable {
        case end
    }

    static func initiate() -> First<Model, Effect> { First(model: Model()) }

    static func update(_ model: Model, _ event: Event) -> Next<Model, Effect> {
        .next(Model(hasParted: true), effects: [.end])
    }

    static var routes: EffectRouter<Effect, Event> {
        EffectRouter<Effect, Event>().routeCase(Effect.end).endsLoop()
    }
}
