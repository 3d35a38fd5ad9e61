import FleetTestSupport
import MobiusCoordinator
import MobiusCore
import Testing

// MARK: - New names, optional properties, new cases

/// The program as it was first shipped.
enum FirstParcels: LoopProgram {
    struct Parcel: Codable, Sendable, Equatable { var name: String }
    struct Model: Codable, Sendable, Equatable { var parcels: [Parcel] = [] }
    enum Event: Codable, Sendable {
        case accepted(Parcel)
        case handedOver(name: String)
    }
    typealias Effect = Never

    static func initiate() -> First<Model, Effect> { First(model: Model()) }

    static func update(_ model: Model, _ event: Event) -> Next<Model, Effect> {
        var model = model
        switch event {
        case .accepted(let parcel): model.parcels.append(parcel)
        case .handedOver(let name): model.parcels.removeAll { $0.name == name }
        }
        return .next(model)
    }
}

// example: names
enum Parcels: LoopProgram {
    struct Parcel: Codable, Sendable, Equatable {
        var label: String  // was: name
        var grams: Int?  // new: nil in what earlier builds wrote

        private enum CodingKeys: String, CodingKey { case label = "name", grams }
    }

    struct Model: Codable, Sendable, Equatable { var parcels: [Parcel] = [] }

    enum Event: Codable, Sendable {
        case accepted(Parcel)
        case delivered(label: String)  // was: handedOver(name: String)
        case lost(label: String)  // new

        private enum CodingKeys: String, CodingKey { case accepted, delivered = "handedOver", lost }
        private enum DeliveredCodingKeys: String, CodingKey { case label = "name" }
    }
    // end
    typealias Effect = Never

    static func initiate() -> First<Model, Effect> { First(model: Model()) }

    static func update(_ model: Model, _ event: Event) -> Next<Model, Effect> {
        var model = model
        switch event {
        case .accepted(let parcel): model.parcels.append(parcel)
        case .delivered(let label), .lost(let label): model.parcels.removeAll { $0.label == label }
        }
        return .next(model)
    }
}

// Both builds name their program Parcels, which one module cannot do: these names stand for "Post.Parcels.Event".
extension FirstParcels.Event: PayloadEvolution {
    static let versions = PayloadVersions("Post.Parcels.Event", startingWith: Self.self)
}
extension FirstParcels.Model: PayloadEvolution {
    static let versions = PayloadVersions("Post.Parcels.Model", startingWith: Self.self)
}
extension Parcels.Event: PayloadEvolution {
    static let versions = PayloadVersions("Post.Parcels.Event", startingWith: Self.self)
}
extension Parcels.Model: PayloadEvolution {
    static let versions = PayloadVersions("Post.Parcels.Model", startingWith: Self.self)
}

// MARK: - New versions

/// The program as it was first shipped.
enum FirstOrders: LoopProgram {
    struct Model: Codable, Sendable, Equatable { var orders: [String] = [] }
    enum Event: Codable, Sendable {
        case placed(order: String)
        case cancelled(String)
    }
    typealias Effect = Never

    static func initiate() -> First<Model, Effect> { First(model: Model()) }

    static func update(_ model: Model, _ event: Event) -> Next<Model, Effect> {
        var model = model
        switch event {
        case .placed(let order): model.orders.append(order)
        case .cancelled(let order): model.orders.removeAll { $0 == order }
        }
        return .next(model)
    }
}

// The first build declares no versions: its types are written under their full names.
extension FirstOrders.Model: PayloadEvolution {
    static let versions = PayloadVersions("Shop.Orders.Model", startingWith: Self.self)
}

extension FirstOrders.Event: PayloadEvolution {
    static let versions = PayloadVersions("Shop.Orders.Event", startingWith: Self.self)
}

// example: types
enum Orders: LoopProgram {
    struct Order: Codable, Sendable, Equatable {
        var name: String
        var shop: String
    }

    struct Model: Codable, Sendable, Equatable { var orders: [Order] = [] }  // was: [String]
    enum Event: Codable, Sendable {
        case placed(Order)  // was: placed(order: String)
        case cancelled(String)
    }
    // end
    typealias Effect = Never

    static func initiate() -> First<Model, Effect> { First(model: Model()) }

    static func update(_ model: Model, _ event: Event) -> Next<Model, Effect> {
        var model = model
        switch event {
        case .placed(let order): model.orders.append(order)
        case .cancelled(let order): model.orders.removeAll { $0.name == order }
        }
        return .next(model)
    }
}

// example: case
extension Orders.Event: PayloadEvolution {
    /// The changed case, as version 1 had it.
    private enum First: Codable { case placed(order: String) }

    static let versions = PayloadVersions("orders.event", formerly: "Shop.Orders.Event", startingWith: Self.self)
        .changing(First.self) { first in
            switch first {
            case .placed(let order): .placed(Orders.Order(name: order, shop: "main street"))
            }
        }
}
// end

// example: whole
extension Orders.Model: PayloadEvolution {
    private struct First: Codable { var orders: [String] }

    static let versions = PayloadVersions("orders.model", formerly: "Shop.Orders.Model", startingWith: First.self)
        .then(Orders.Model.self) { first in
            Orders.Model(orders: first.orders.map { Orders.Order(name: $0, shop: "main street") })
        }
}
// end

// example: name
enum Invoices {
    struct Event: Codable, Sendable { var number: Int }
}

extension Invoices.Event: PayloadEvolution {
    // It was Shop.Event in the module Shop, without a conformance: that is its version 1, too.
    static let versions = PayloadVersions("invoices.event", formerly: "Shop.Shop.Event", startingWith: Self.self)
}
// end

// MARK: - The tests

@Suite("Examples: types that change")
struct EvolutionExamples {
    /// Writes a journal as an earlier build did: with the first events below a snapshot, or all of them behind the start.
    private func journal<Program: LoopProgram>(
        of program: Program.Type, _ events: [Program.Event], in folder: TestFolder, killed: Bool = false
    ) async throws -> String where Program.Effect == Never {
        let file = folder.file("old.journal")
        let coordinator = Coordinator<Program>(settings(file), routes: EffectRouter())
        let running = Task { try await coordinator.run() }
        for (index, event) in events.enumerated() { try await coordinator.loop.send(event, key: "\(index)") }
        let backup = folder.file("backup.journal")
        if killed { try await backUp(file, to: backup) }
        coordinator.stop()
        try await running.value
        return killed ? backup : file
    }

    /// A backup of an open journal is what a killed coordinator leaves: events, and no snapshot of their model.
    private func backUp(_ file: String, to backup: String) async throws {
        let process = try TestProcess("mobius", ["journal", "backup", file, backup])
        #expect(try await process.end() == .exited(0))
    }

    private func settings(_ file: String) -> CoordinatorSettings {
        var settings = CoordinatorSettings(name: "orders", bind: "tcp://127.0.0.1:*", journal: .file(file))
        settings.clientBind = nil
        return settings
    }

    /// What a build makes of a journal.
    private func model<Program: LoopProgram>(
        of program: Program.Type, in file: String
    ) async throws -> Program.Model? where Program.Effect == Never {
        let coordinator = Coordinator<Program>(settings(file), routes: EffectRouter())
        let running = Task { try await coordinator.run() }
        let model = await coordinator.loop.models.first { _ in true }
        coordinator.stop()
        try await running.value
        return model
    }

    @Test("renamed and added parts are read by their coding keys", arguments: [true, false])
    func codingKeys(killed: Bool) async throws {
        let folder = try TestFolder()
        let file = try await journal(
            of: FirstParcels.self,
            [.accepted(.init(name: "a")), .accepted(.init(name: "b")), .handedOver(name: "a")], in: folder,
            killed: killed)
        let model = try await model(of: Parcels.self, in: file)
        #expect(model == Parcels.Model(parcels: [Parcels.Parcel(label: "b", grams: nil)]))
    }

    @Test("a changed case and a changed model are converted", arguments: [true, false])
    func upcast(killed: Bool) async throws {
        let folder = try TestFolder()
        let file = try await journal(
            of: FirstOrders.self, [.placed(order: "ada"), .placed(order: "grace"), .cancelled("ada")], in: folder,
            killed: killed)
        let model = try await model(of: Orders.self, in: file)
        #expect(model == Orders.Model(orders: [Orders.Order(name: "grace", shop: "main street")]))
    }

    @Test("a journal kept from the first build verifies")
    func golden() async throws {
        let folder = try TestFolder()
        let file = try await journal(
            of: FirstOrders.self, [.placed(order: "ada"), .cancelled("ada")], in: folder, killed: true)
        // example: golden
        let summary = try Coordinator<Orders>.verify(
            CoordinatorSettings(name: "orders", journal: .file(file)), routes: EffectRouter())
        #expect(summary.loops == 1)
        // end
    }

    @Test("a type's name and the number of its version")
    func names() {
        #expect(Orders.Event.versions.name == "orders.event")
        #expect(Orders.Event.versions.current == 2)
        #expect(Invoices.Event.versions.formerNames == ["Shop.Shop.Event"])
    }
}
