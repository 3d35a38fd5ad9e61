import FleetTestSupport
import MobiusCoordinator
import MobiusCore
import MobiusDriver
import MobiusEngine
import MobiusJournal
import TestTraits
import Testing

/// What a loop remembers, and what it refuses.
@Suite(.patient)
struct JournalTests {
    @Test func aLoopGoesOnWhereItWas() async throws {
        let folder = try TestFolder()
        let journal = CoordinatorSettings.Journal.file(folder.file("journal"))
        for start in 1...3 {
            let fleet = Fleet(journal: journal)
            try await fleet.ask(.localEvent("start \(start)"))
            try await fleet.hears("\(start) local start \(start)")
            try await fleet.stop()
        }
    }

    @Test func anEventWithAKeyIsAppliedOnce() async throws {
        let folder = try TestFolder()
        let journal = CoordinatorSettings.Journal.file(folder.file("journal"))
        for _ in 1...2 {
            let fleet = Fleet(journal: journal)
            for _ in 1...3 { try await fleet.coordinator.loop.send(.answered("once"), key: "k") }
            try await fleet.coordinator.loop.send(.answered("more"))
            try await fleet.hears("more")
            #expect(!fleet.told.elements.contains { $0.hasSuffix("once") && !$0.hasPrefix("1 ") })
            try await fleet.stop()
        }
    }

    @Test func effectsThatWaitForAWorkerAreRememberedAcrossARestart() async throws {
        let folder = try TestFolder()
        let journal = CoordinatorSettings.Journal.file(folder.file("journal"))
        let first = Fleet(journal: journal)
        try await first.ask(.event("patience"))
        try await first.stop()
        let second = Fleet(journal: journal)
        let worker = DrillWorker(try await second.endpoint())
        try await second.hears("1 event patience")
        try await worker.leave()
        try await second.stop()
    }

    @Test func whatComesWhileTheJournalThreadSendsIsHeardAtOnce() async throws {
        let folder = try TestFolder()
        // Nothing but messages wakes anybody: what was overlooked would wait for a minute.
        let fleet = Fleet(
            journal: .file(folder.file("journal")),
            timing: SessionTiming(
                heartbeat: .seconds(60), suspectAfter: .seconds(200), deadAfter: .seconds(600),
                reconnectGrace: .seconds(60), adoptionGrace: .seconds(60), silence: .seconds(200), resend: .seconds(200)
            ))
        let worker = DrillWorker(try await fleet.endpoint())
        for round in 1...300 {
            async let one: Void = fleet.ask(.event("one \(round)"))
            async let other: Void = fleet.ask(.event("other \(round)"))
            _ = try await (one, other)
            try await fleet.hears("event one \(round)", "event other \(round)")
        }
        try await worker.leave()
        try await fleet.stop()
    }

    @Test func aSecondCoordinatorOnAJournalIsRefused() async throws {
        let folder = try TestFolder()
        let journal = CoordinatorSettings.Journal.file(folder.file("journal"))
        let first = Fleet(journal: journal)
        _ = try await first.endpoint()
        let second = Fleet(journal: journal)
        let error = try #require(await second.failure() as? JournalError)
        #expect(error.code == .held)
        try await first.stop()
    }

    @Test func anEndpointInUseIsAClearError() async throws {
        let first = Fleet()
        let second = Fleet(bind: try await first.endpoint())
        let error = try #require(await second.failure() as? CoordinatorError)
        #expect(error.code == .endpoint)
        try await first.stop()
    }

    @Test func aStoppedCoordinatorRefusesEvents() async throws {
        let fleet = Fleet()
        try await fleet.ask(.localEvent("a"))
        try await fleet.stop()
        let error = await #expect(throws: CoordinatorError.self) { try await fleet.ask(.localEvent("b")) }
        #expect(error?.code == .stopped)
    }
}
