import FleetTestSupport
import MobiusCoordinator
import MobiusCore
import MobiusJournal
import MobiusJournalSQLite
import MobiusWire
import TestTraits
import Testing

/// Several loops of one program in one coordinator.
@Suite(.patient)
struct LoopHandleTests {
    @Test(arguments: [true, false])
    func loopsHaveModelsAndKeysOfTheirOwn(onDisk: Bool) async throws {
        let folder = try TestFolder()
        let fleet = Fleet(journal: onDisk ? .file(folder.file("journal")) : .none)
        let main = fleet.coordinator.loop
        let order = main.loop("order-17")
        #expect(main.id == .main && order.id.name == "order-17" && order.loop("main").id == .main)
        try await main.send(.answered("to main"), key: "k")
        for _ in 1...2 { try await order.send(.answered("to order"), key: "k") }
        #expect(await first(of: main)?.answers == ["to main"])
        #expect(await first(of: order)?.answers == ["to order"])
        try await fleet.stop()
    }

    private func first(of loop: LoopHandle<Drill>) async -> Drill.Model? {
        for await model in loop.models { return model }
        return nil
    }

    @Test func allLoopsGoOnAfterARestartAndKeepTheirEffects() async throws {
        let folder = try TestFolder()
        let journal = CoordinatorSettings.Journal.file(folder.file("journal"))
        let names = (1...200).map { "order-\($0)" }
        let first = Fleet(journal: journal)
        for name in names {
            try await first.coordinator.loop.loop(name).send(.ask(.event(name)))
        }
        try await first.stop()
        let second = Fleet(journal: journal)
        let worker = DrillWorker(try await second.endpoint())
        for name in names {
            for await model in second.coordinator.loop.loop(name).models where model.answers == ["event \(name)"] {
                break
            }
        }
        #expect(worker.ran.elements.sorted() == names.sorted())
        try await worker.leave()
        try await second.stop()
        let third = Fleet(journal: journal)
        for name in names {
            #expect(await self.first(of: third.coordinator.loop.loop(name))?.answers == ["event \(name)"])
        }
        try await third.stop()
    }

    @Test func aLoopThatIsWatchedBeforeItBeginsIsSeenFromItsStart() async throws {
        let fleet = Fleet()
        let order = fleet.coordinator.loop.loop("order")
        let seen = Journey<[String]>()
        let models = order.models
        let reading = Task { for await model in models { seen.add(model.answers) } }
        // It waits: the coordinator runs, and has none to show.
        try await fleet.coordinator.loop.send(.answered("to main"))
        #expect(seen.elements == [])
        try await order.send(.answered("a"))
        try await seen.wait { $0.last == ["a"] }
        try await fleet.coordinator.loop.send(.answered("to main again"))
        try await order.send(.answered("b"))
        try await seen.wait { $0.last == ["a", "b"] }
        try await fleet.stop()
        await reading.value
        #expect(seen.elements.allSatisfy { [[], ["a"], ["a", "b"]].contains($0) })
    }

    @Test func everyLoopWithNewsIsKeptAtACleanStop() async throws {
        let folder = try TestFolder()
        let path = folder.file("journal")
        let fleet = Fleet(journal: .file(path))
        for name in ["main", "a", "b"] { try await fleet.coordinator.loop.loop(name).send(.answered(name)) }
        try await fleet.stop()
        let journal = try JournalInspector(path: path)
        defer { journal.close() }
        for name in ["main", "a", "b"] {
            // Each answered event asks for one that tells of it.
            #expect(try journal.newestSnapshot(of: try #require(LoopID(name)))?.sequence == 1)
        }
    }
}
