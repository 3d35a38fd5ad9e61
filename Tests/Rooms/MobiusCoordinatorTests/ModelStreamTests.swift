import FleetTestSupport
import MobiusCoordinator
import MobiusCore
import MobiusDriver
import MobiusEngine
import TestTraits
import Testing

/// What is seen of a durable loop's models.
@Suite(.patient)
struct ModelStreamTests {
    /// Reads a stream to its end.
    private func read(_ models: AsyncStream<Drill.Model>) -> (seen: Journey<[String]>, reading: Task<Void, Never>) {
        let seen = Journey<[String]>()
        return (seen, Task { for await model in models { seen.add(model.answers) } })
    }

    @Test(arguments: [true, false])
    func theCurrentModelComesFirstAndTheLastOneIsNotMissed(onDisk: Bool) async throws {
        let folder = try TestFolder()
        let fleet = Fleet(journal: onDisk ? .file(folder.file("journal")) : .none)
        let (early, reading) = read(fleet.coordinator.loop.models)
        try await early.wait { $0 == [[]] }
        for number in 1...50 { try await fleet.ask(.localEvent("\(number)")) }
        try await early.wait { $0.last?.count == 50 }
        let (late, readingToo) = read(fleet.coordinator.loop.models)
        try await late.wait { $0.first?.count == 50 }
        try await fleet.stop()
        await reading.value
        await readingToo.value
        // Each is the one before with more at its end, and none is shown twice.
        let counts = early.elements.map(\.count)
        #expect(counts == Set(counts).sorted())
        #expect(late.elements.count == 1)
        let (never, readingNothing) = read(fleet.coordinator.loop.models)
        await readingNothing.value
        #expect(never.elements == [])
    }

    @Test func aRecoveredModelIsSeenAtOnce() async throws {
        let folder = try TestFolder()
        let journal = CoordinatorSettings.Journal.file(folder.file("journal"))
        let first = Fleet(journal: journal)
        try await first.ask(.localEvent("kept"))
        try await first.hears("local kept")
        try await first.stop()
        let second = Fleet(journal: journal)
        let (seen, reading) = read(second.coordinator.loop.models)
        try await seen.wait { $0 == [["local kept"]] }
        try await second.stop()
        await reading.value
    }

    @Test func nothingIsShownBeforeItIsOnDisk() async {
        let watchers = ModelWatchers<Int>()
        var publisher = ModelPublisher(watchers)
        publisher.settle(0)  // nobody watches
        var models = watchers.stream().makeAsyncIterator()
        publisher.settle(0)
        #expect(await models.next() == 0)
        publisher.applied(changed: true)
        publisher.settle(1)
        publisher.appended(Ticket(1), 1)
        publisher.applied(changed: true)
        publisher.appended(Ticket(2), 2)
        publisher.settle(2)
        #expect(!watchers.demand.isWaiting)
        publisher.committed(Ticket(1))
        #expect(await models.next() == 1)
        publisher.settle(2)
        publisher.committed(Ticket(2))
        #expect(await models.next() == 2)
        // What changes nothing shows nothing but to those who come anew.
        publisher.applied(changed: false)
        publisher.appended(Ticket(3), 2)
        var others = watchers.stream().makeAsyncIterator()
        publisher.settle(2)
        #expect(watchers.demand.isWaiting)
        publisher.committed(Ticket(3))
        publisher.settle(2)
        #expect(await others.next() == 2)
        watchers.finish()
        #expect(await models.next() == nil)
        #expect(await others.next() == nil)
        #expect(!watchers.demand.isThere)
    }

    @Test func aSlowDiskHoldsFewModelsBack() async {
        let watchers = ModelWatchers<Int>()
        var publisher = ModelPublisher(watchers)
        var models = watchers.stream().makeAsyncIterator()
        publisher.settle(0)
        #expect(await models.next() == 0)
        for number in 1...100 {
            publisher.applied(changed: true)
            publisher.appended(Ticket(UInt64(number)), number)
        }
        for number in 1...7 {
            publisher.committed(Ticket(UInt64(number)))
            #expect(await models.next() == number)
        }
        publisher.committed(Ticket(99))
        publisher.applied(changed: true)
        publisher.appended(Ticket(101), 101)
        publisher.committed(Ticket(100))
        #expect(await models.next() == 100)
        publisher.committed(Ticket(101))
        #expect(await models.next() == 101)
    }

    @Test func whoeverSendsSeesTheModelWhenThatIsConfirmed() async throws {
        let folder = try TestFolder()
        let fleet = Fleet(journal: .file(folder.file("journal")))
        var models = fleet.coordinator.loop.models.makeAsyncIterator()
        #expect(await models.next() == Drill.Model())
        for number in 1...50 {
            try await fleet.coordinator.loop.send(.answered("\(number)"))
            #expect(await models.next()?.answers.last == "\(number)")
        }
        try await fleet.stop()
    }

    @Test func aStreamThatNobodyReadsAnyMoreIsForgotten() async throws {
        let watchers = ModelWatchers<Int>()
        let reading = Task { [stream = watchers.stream()] in for await _ in stream {} }
        #expect(watchers.demand.isThere)
        reading.cancel()
        await reading.value
        #expect(!watchers.demand.isThere)
    }
}
