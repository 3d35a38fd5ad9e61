import FleetTestSupport
import Foundation
import MobiusCoordinator
import MobiusCore
import MobiusJournal
import MobiusJournalSQLite
import MobiusWire
import TestTraits
import Testing

/// Journals that earlier builds wrote, and later ones.
@Suite(.patient)
struct EvolutionTests {
    private let folder: TestFolder
    private let shipped = Journey<String>()

    init() throws {
        folder = try TestFolder()
    }

    private var routes: EffectRouter<Shop.Effect, Shop.Event> {
        EffectRouter { [shipped] effect in
            switch effect {
            case .ship(let items, let urgent):
                .toEvent {
                    shipped.add(items.joined(separator: "+") + (urgent ? "!" : ""))
                    return .shipped
                }
            }
        }
    }

    private func run() -> Running<Shop> { Running(folder.file("journal"), routes: routes) }

    @Test(arguments: [
        ("shop-1", ["apple", "pear"], 2), ("shop-2", ["apple", "pear+plum", "fig"], 2), ("shop-3", ["apple"], 2),
    ])
    func todaysBuildReadsEveryVersion(name: String, orders: [String], shipped: Int) async throws {
        try GoldenJournal.write(name, to: folder.file("journal"))
        let first = run()
        let model = try #require(await first.model())
        #expect(model.orders.map { $0.items.joined(separator: "+") } == orders)
        // Effects that the old build asked for are carried out.
        for await model in first.coordinator.loop.models where model.shipped == shipped + (name == "shop-2" ? 1 : 0) {
            break
        }
        try await first.stop()
        // From now on it is a journal of today's types.
        let journal = try JournalInspector(path: folder.file("journal"))
        defer { journal.close() }
        let snapshot = try #require(try journal.newestSnapshot(of: .main))
        #expect(snapshot.model.kind == PayloadKind(type: "shop.model", version: 3))
        let second = run()
        #expect(await second.model()?.orders == model.orders)
        #expect(second.logged.elements == [])
        try await second.stop()
    }

    @Test func anEventOfANewerVersionHoldsItsLoopAndNothingIsLost() async throws {
        let order = try #require(LoopID("order"))
        try GoldenJournal.write("shop-4", to: folder.file("journal"), loop: order)
        let before = try content(of: order)
        let running = run()
        try await running.coordinator.loop.send(.placed(Shop.Order(items: ["kiwi"])))
        let error = await #expect(throws: CoordinatorError.self) {
            try await running.coordinator.loop.loop(order).send(.shipped)
        }
        #expect(error?.message.contains("The loop order is held") == true)
        let held = try #require(await running.coordinator.held.first)
        #expect(held.loop == order && held.sequence == 2 && held.crashes == 0 && held.pending == 1)
        #expect(
            held.source.contains("event 2 in the journal cannot be read")
                && held.source.contains("this one knows up to 3"))
        #expect(running.logged.elements.contains { $0.hasPrefix("error loop held: this build cannot read it") })
        let refused = await #expect(throws: CoordinatorError.self) {
            try await running.coordinator.release(order, drop: true)
        }
        #expect(refused?.message.contains("Run a build that can read it") == true)
        let still = await #expect(throws: CoordinatorError.self) { try await running.coordinator.release(order) }
        #expect(still?.message.contains("held again") == true)
        // A coordinator that stops begins no more handlers.
        try await shipped.wait { $0 == ["kiwi"] }
        try await running.stop()
        #expect(try content(of: order) == before)
    }

    private func content(of loop: LoopID) throws -> [JournalRecord] {
        let journal = try JournalInspector(path: folder.file("journal"))
        defer { journal.close() }
        var records: [JournalRecord] = []
        try journal.readTail(of: loop) { records.append($0) }
        return records
    }

    @Test(arguments: [
        (["start", "event somebody.else 1 {}"], "it is somebody.else, version 1"),
        (["start", "event shop.event 3 {\"placed\":7}"], "event 1 in the journal cannot be read"),
        (["start", "snapshot shop.model 4 {}"], "its model as of event 0 cannot be read"),
        (
            ["start", "event shop.event 3 {\"shipped\":{}}", "effect old.effect 1 {}"],
            "its effect main/1/0 cannot be carried out"
        ),
    ])
    func theOnlyLoopIsHeldAndTheCoordinatorStays(lines: [String], reason: String) async throws {
        try GoldenJournal.write(lines: lines, to: folder.file("journal"))
        let running = run()
        try await running.logged.wait { $0.contains { $0.hasPrefix("error loop held") && $0.contains(reason) } }
        #expect(await running.coordinator.held.map(\.loop) == [.main])
        await #expect(throws: CoordinatorError.self) { try await running.coordinator.loop.send(.shipped) }
        // Others may still begin.
        try await running.coordinator.loop.loop("new").send(.shipped)
        try await running.stop()
    }

    @Test func aLoopGoesOnByItselfOnceABuildReadsIt() async throws {
        try GoldenJournal.write("shop-2", to: folder.file("journal"))
        let old = Running<OldShop>(folder.file("journal"), routes: EffectRouter { _ in .to {} })
        try await old.logged.wait { $0.contains { $0.contains("its model as of event 2 cannot be read") } }
        try await old.stop()
        let new = run()
        #expect(await new.model()?.orders.count == 3)
        #expect(new.logged.elements == [])
        try await new.stop()
    }
}

/// The first Shop, which knows its own version only.
private enum OldShop: InPlaceLoopProgram {
    typealias Model = OldModel
    typealias Event = FormerShop.Event1
    typealias Effect = FormerShop.Effect1

    struct OldModel: PayloadEvolution {
        var items: [String] = []

        static let versions = PayloadVersions("shop.model", startingWith: OldModel.self)
    }

    static func initiate() -> First<Model, Effect> { First(model: Model()) }

    static func update(_ model: inout Model, _ event: Event) -> Change<Effect> { .noChange }
}
