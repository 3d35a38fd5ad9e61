import FleetTestSupport
import MobiusClient
import MobiusCoordinator
import MobiusCore
import MobiusTestKit
import TestTraits
import Testing

// example: program
/// Sells the seats of a train; every request gets an answer or is refused.
enum Seats: LoopProgram {
    struct Receipt: Codable, Sendable, Equatable { var seats: [Int] }

    struct Model: Codable, Sendable, Equatable { var free = Array(1...4) }

    enum Event: Codable, Sendable, Equatable { case asked(seats: Int) }

    enum Effect: Codable, Sendable, Equatable {
        case receipt(Receipt)
        case refuse(reason: String)
    }

    static func initiate() -> First<Model, Effect> { First(model: Model()) }

    static func update(_ model: Model, _ event: Event) -> Next<Model, Effect> {
        var model = model
        switch event {
        case .asked(let seats):
            guard seats > 0 else { return .dispatchEffects([.refuse(reason: "ask for one seat at least")]) }
            guard seats <= model.free.count else {
                return .dispatchEffects([.refuse(reason: "\(model.free.count) of \(seats) seats are free")])
            }
            let receipt = Receipt(seats: Array(model.free.prefix(seats)))
            model.free.removeFirst(seats)
            return .next(model, effects: [.receipt(receipt)])
        }
    }
}
// end

// example: routes
extension Seats {
    static let routes = EffectRouter<Effect, Event>()
        .routeCase(Effect.receipt).toSender { receipt in receipt }
        .routeCase(Effect.refuse).refuses { reason in reason }
}
// end

// example: ask
/// What a web server does for a request.
func reserve(_ seats: Int, request: String, _ client: FleetClient) async throws -> String {
    do {
        let receipt = try await client.ask(
            .asked(seats: seats), of: Seats.self, key: request, for: Seats.Receipt.self)
        return "seats \(receipt.seats)"
    } catch let error as FleetClientError where error.code == .refusedByProgram {
        return "sorry, \(error.message)"
    }
}
// end

// example: inside
extension LoopHandle where Program == Seats {
    /// The same in the coordinator's process.
    func reserve(_ seats: Int, request: String) async throws -> Seats.Receipt? {
        try await send(.asked(seats: seats), key: request).answer(as: Seats.Receipt.self)
    }
}
// end

@Suite("Cookbook: request and answer", .patient)
struct RequestsRecipe {
    // example: test
    @Test func everyRequestGetsItsAnswerAgain() async throws {
        let fleet = TestFleet(Seats.self, routes: Seats.routes)
        let first = fleet.send(.asked(seats: 3), key: "a")
        try await fleet.runUntilQuiet()
        let refused = fleet.send(.asked(seats: 2), key: "b")
        fleet.killCoordinator()
        let again = fleet.send(.asked(seats: 3), key: "a")
        try await fleet.runUntilQuiet()

        let receipt = Seats.Receipt(seats: [1, 2, 3])
        #expect(try fleet.answer(to: first, as: Seats.Receipt.self) == receipt)
        #expect(try fleet.answer(to: again, as: Seats.Receipt.self) == receipt)
        #expect(fleet.refusal(of: refused) == "1 of 2 seats are free")
        try await fleet.finish()
    }
    // end

    @Test func inACoordinator() async throws {
        try await withCoordinator(of: Seats.self, Seats.routes) { loop in
            let first = try await loop.reserve(3, request: "a")
            await #expect(throws: CoordinatorError.self) { try await loop.reserve(2, request: "b") }
            let again = try await loop.reserve(3, request: "a")
            #expect(first == Seats.Receipt(seats: [1, 2, 3]) && again == first)
        }
    }

    @Test func overAClient() async throws {
        let folder = try TestFolder()
        var settings = CoordinatorSettings(
            name: "seats", bind: "ipc://" + folder.file("workers"), journal: .file(folder.file("journal")))
        settings.clientBind = "ipc://" + folder.file("clients")
        let coordinator = Coordinator<Seats>(settings, routes: Seats.routes)
        let running = Task { try await coordinator.run() }
        let client = FleetClient(connect: "ipc://" + folder.file("clients"))
        #expect(try await reserve(3, request: "a", client) == "seats [1, 2, 3]")
        #expect(try await reserve(2, request: "b", client) == "sorry, 1 of 2 seats are free")
        #expect(try await reserve(3, request: "a", client) == "seats [1, 2, 3]")
        await client.close()
        coordinator.stop()
        try await running.value
    }
}
