import FleetTestSupport
import MobiusClient
import MobiusCoordinator
import MobiusCore
import MobiusProgram
import MobiusWire
import TestTraits
import Testing

/// What operators see of a loop that is held: its effects, and its last good model.
@Suite(.patient)
struct HeldLoopReadingTests {
    private let folder: TestFolder
    private let client: FleetClient

    init() throws {
        folder = try TestFolder()
        client = FleetClient(connect: "ipc://" + folder.file("clients"), timeout: .seconds(3600))
    }

    private func run() -> Running<Fragile> {
        Running(folder.file("journal"), routes: Fragile.routes, clients: client.endpoint)
    }

    @Test func itsEffectsAndItsLastGoodModelAreShownAlsoAfterARestart() async throws {
        var running = run()
        for _ in 1...2 { try await client.send(Fragile.Event.work) }
        #expect(try await !client.model(of: .main).isHeld)
        await #expect(throws: FleetClientError.self) { try await client.send(Fragile.Event.breakDown, key: "bad") }
        for round in 1...2 {
            let page = try await client.effects(loop: .main)
            #expect(page.elements.map(\.id.sequence) == [1, 2] && !page.more, "\(round)")
            #expect(page.elements.allSatisfy { $0.phase == .held && $0.id.loop == .main })
            let first = try await client.effects(loop: .main, limit: 1)
            #expect(first.elements.map(\.id.sequence) == [1] && first.more)
            #expect(
                try await client.effects(loop: .main, after: first.elements[0].id).elements.map(\.id.sequence) == [2])
            let (effect, payload) = try await client.effect(page.elements[1].id)
            #expect(effect.id == page.elements[1].id && effect.phase == .held && effect.name == "work")
            #expect(String(decoding: payload.bytes, as: UTF8.self).contains("work"))
            let unknown = EffectID(loop: .main, sequence: 9, index: 0)
            let error = await #expect(throws: FleetClientError.self) { try await client.effect(unknown) }
            #expect(error?.code == .notFound)
            // The event that broke it is not in the model.
            let model = try await client.model(of: .main)
            #expect(model.isHeld && model.version.sequence == 2)
            #expect(String(decoding: model.payload.bytes, as: UTF8.self) == #"{"events":2}"#)
            try await running.stop()
            running = run()
        }
        #expect(try await client.release(.main, drop: true) == .done)
        #expect(try await !client.model(of: .main).isHeld)
        #expect(try await client.effects(loop: .main).elements.map(\.phase) == [.waiting, .waiting])
        await client.close()
        try await running.stop()
    }
}

private enum Fragile: InPlaceLoopProgram {
    struct Model: Codable, Sendable, Equatable {
        var events = 0
    }

    enum Event: Codable, Sendable {
        case work
        case breakDown
    }

    enum Effect: Codable, Sendable {
        case work
        /// Has no route.
        case lost
    }

    static func initiate() -> First<Model, Effect> { First(model: Model()) }

    static func update(_ model: inout Model, _ event: Event) -> Change<Effect> {
        model.events += 1
        return switch event {
        case .work: .next(effects: [.work])
        case .breakDown: .next(effects: [.lost])
        }
    }

    static var routes: EffectRouter<Effect, Event> {
        EffectRouter<Effect, Event>().routeCase(Effect.work).toWorkers("nobody", timeout: nil) { _, _ in .work }
    }
}
