import FleetTestSupport
import MobiusClient
import MobiusCoordinator
import MobiusCore
import MobiusTestKit
import TestTraits
import Testing

// example: program
/// The seats of a train, such as the loop `train/701`; every request gets an answer or is refused.
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
extension Seats: FleetProgram {
    static let kind: LoopKind = "train"
    static let routes = EffectRouter<Effect, Event>()
        .routeCase(Effect.receipt).toSender { receipt in receipt }
        .routeCase(Effect.refuse).refuses { reason in reason }
}
// end

// example: ask
/// What a web server does for a request.
func reserve(_ seats: Int, on train: String, request: String, _ client: FleetClient) async throws -> String {
    do {
        let receipt = try await client.ask(
            .asked(seats: seats), of: Address<Seats>(train), key: request, for: Seats.Receipt.self)
        return "seats \(receipt.seats)"
    } catch let error as FleetClientError where error.code == .refusedByProgram {
        return "sorry, \(error.message)"
    }
}
// end

// example: inside
/// The same in the coordinator's process.
func reserve(
    _ seats: Int, on train: String, request: String, _ loop: LoopHandle<Programs>
) async throws -> Seats.Receipt? {
    try await loop.loops(Seats.self)[train].send(.asked(seats: seats), key: request).answer(as: Seats.Receipt.self)
}
// end

@Suite("Cookbook: request and answer", .patient)
struct RequestsRecipe {
    // example: test
    @Test func everyRequestGetsItsAnswerAgain() async throws {
        let fleet = TestFleet(programs: Programs { Seats.self })
        let train = Address<Seats>("701")
        let first = fleet.send(.asked(seats: 3), to: train, key: "a")
        try await fleet.runUntilQuiet()
        let refused = fleet.send(.asked(seats: 2), to: train, key: "b")
        fleet.killCoordinator()
        let again = fleet.send(.asked(seats: 3), to: train, key: "a")
        try await fleet.runUntilQuiet()

        let receipt = Seats.Receipt(seats: [1, 2, 3])
        #expect(try fleet.answer(to: first, as: Seats.Receipt.self) == receipt)
        #expect(try fleet.answer(to: again, as: Seats.Receipt.self) == receipt)
        #expect(fleet.refusal(of: refused) == "1 of 2 seats are free")
        try await fleet.finish()
    }
    // end

    @Test func inACoordinator() async throws {
        try await withCoordinator(of: Programs { Seats.self }) { loop in
            let first = try await reserve(3, on: "701", request: "a", loop)
            await #expect(throws: CoordinatorError.self) { try await reserve(2, on: "701", request: "b", loop) }
            let again = try await reserve(3, on: "701", request: "a", loop)
            #expect(first == Seats.Receipt(seats: [1, 2, 3]) && again == first)
            #expect(try await reserve(2, on: "702", request: "a", loop) == Seats.Receipt(seats: [1, 2]))
        }
    }

    @Test func overAClient() async throws {
        let folder = try TestFolder()
        let endpoint = "ipc://" + folder.file("clients")
        try await withCoordinator(of: Programs { Seats.self }, clients: endpoint) { _ in
            let client = FleetClient(connect: endpoint, timeout: .seconds(3600))
            #expect(try await reserve(3, on: "701", request: "a", client) == "seats [1, 2, 3]")
            #expect(try await reserve(2, on: "701", request: "b", client) == "sorry, 1 of 2 seats are free")
            #expect(try await reserve(3, on: "701", request: "a", client) == "seats [1, 2, 3]")
            let left = try await client.untilModel(of: Address<Seats>("701")) { $0.free.count < 4 }
            #expect(left.free == [4])
            await client.close()
        }
    }
}
