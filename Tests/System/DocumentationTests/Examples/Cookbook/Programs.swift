import FleetTestSupport
import MobiusClient
import MobiusCoordinator
import MobiusCore
import MobiusTestKit
import MobiusWorker
import TestTraits
import Testing

// example: shipment
/// One shipment: loops such as `shipment/4711`.
enum Shipment: ContextLoopProgram {
    struct Model: Codable, Sendable, Equatable {
        var handedIn: Int64?
        var isDelivered = false
    }

    enum Event: Codable, Sendable {
        case handedIn(city: String)
        case delivered
        case failed(String)
    }

    enum Effect: Codable, Sendable, Equatable {
        case drive(city: String)
        case report(shipment: String)
    }

    static func initiate(_ context: LoopContext) -> First<Model, Effect> { First(model: Model()) }

    static func update(_ model: Model, _ event: Event, _ context: LoopContext) -> Next<Model, Effect> {
        var model = model
        switch event {
        case .handedIn(let city):
            model.handedIn = context.milliseconds
            return .next(model, effects: [.drive(city: city)])
        case .delivered:
            model.isDelivered = true
            // It knows its own name, which no sender has to repeat.
            return .next(model, effects: [.report(shipment: String(context.key))])
        case .failed: return .noChange
        }
    }
}
// end

// example: depot
/// What the depot has delivered: one loop, `depot`.
enum Depot: LoopProgram {
    struct Model: Codable, Sendable, Equatable {
        var delivered: [String] = []
    }

    enum Event: Codable, Sendable { case delivered(shipment: String) }
    typealias Effect = Never

    static func initiate() -> First<Model, Effect> { First(model: Model()) }

    static func update(_ model: Model, _ event: Event) -> Next<Model, Effect> {
        switch event {
        case .delivered(let shipment): .next(Model(delivered: model.delivered + [shipment]))
        }
    }
}
// end

// example: routes
extension Shipment: FleetProgram {
    static let kind: LoopKind = "shipment"
    static let routes = EffectRouter<Effect, Event>()
        .routeCase(Effect.drive).toWorkers("drivers") { _, failure in .failed(failure.description) }
        .routeCase(Effect.report).toLoop { shipment in (Address<Depot>.only, .delivered(shipment: shipment)) }
}
// end

// example: routes-of-depot
extension Depot: FleetProgram {
    static let kind: LoopKind = "depot"
    static let maximumLoops: Int? = 1
}
// end

// example: coordinator
/// Marked with `@main` in an executable of its own.
struct HaulageFirm: CoordinatorCommand {
    var programs: Programs {
        Shipment.self
        Depot.self
    }
}
// end

// example: handlers
extension Shipment {
    static let drivers = EffectRouter<Effect, Event>().routeCase(Effect.drive).toEvent { _ in .delivered }
}
// end

// example: worker
/// Marked with `@main` in an executable of its own.
struct Driver: WorkerCommand {
    static let pool = "drivers"

    var handlers: Handlers {
        Shipment.drivers
        // … and the handlers of other programs whose effects go to this pool.
    }
}
// end

// example: send
/// Hands in a shipment; returns when that is on disk.
func handIn(_ number: String, to city: String, _ client: FleetClient) async throws {
    try await client.send(.handedIn(city: city), to: Address<Shipment>(number), key: "hand in \(number)")
}

/// The same in the coordinator's process, as in `run(_:)`.
func handIn(_ number: String, to city: String, _ loop: LoopHandle<Programs>) async throws {
    try await loop.loops(Shipment.self)[number].send(.handedIn(city: city), key: "hand in \(number)")
}
// end

// example: read
/// The shipments that are under way, of the first thousand.
func underWay(_ client: FleetClient) async throws -> [String] {
    try await client.models(of: Shipment.self).models.filter { !$0.model.isDelivered }.map(\.address.key)
}
// end

func handsInOne(_ number: String, to city: String, _ loop: LoopHandle<Programs>) async throws {
    // example: loops
    try await loop.loops(Shipment.self)[number].send(.handedIn(city: city), key: "hand in \(number)")
    // end
}

@Suite("Cookbook: programs")
struct ProgramsRecipe {
    // example: test
    @Test func aShipmentThatArrivesIsCounted() async throws {
        let fleet = TestFleet(
            programs: HaulageFirm().programs, workers: [.pool("drivers", of: Shipment.self) { Shipment.drivers }])
        fleet.send(.handedIn(city: "Oslo"), to: Address<Shipment>("4711"))
        fleet.killCoordinator()
        try await fleet.runUntilQuiet()
        #expect(fleet.model(of: Address<Shipment>("4711")).isDelivered)
        #expect(fleet.model(of: Address<Depot>.only) == Depot.Model(delivered: ["4711"]))
        try await fleet.finish()
    }
    // end

    @Test func manyModelsAreRead() async throws {
        let folder = try TestFolder()
        let endpoint = "ipc://" + folder.file("clients")
        try await withCoordinator(of: HaulageFirm().programs, clients: endpoint) { _ in
            let client = FleetClient(connect: endpoint, timeout: .seconds(3600))
            // More than are read at once, and a loop of another program.
            for number in 100..<230 { try await handIn("\(number)", to: "Oslo", client) }
            try await client.send(.delivered(shipment: "1"), to: Address<Depot>.only)
            #expect(try await underWay(client) == (100..<230).map { "\($0)" })
            let page = try await client.models(of: Shipment.self, limit: 100)
            #expect(page.models.count == 100)
            let rest = try await client.models(of: Shipment.self, after: page.next)
            #expect(rest.models.map(\.address.key) == (200..<230).map { "\($0)" } && rest.next == nil)
            await client.close()
        }
    }
}
