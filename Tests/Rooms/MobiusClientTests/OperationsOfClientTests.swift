import FleetTestSupport
import MobiusClient
import MobiusWire
import Synchronization
import TestTraits
import Testing

@Suite("What operators ask through a client", .patient)
struct OperationsOfClientTests {
    private let fleet = TestFleet()
    private let first = EffectID(loop: .main, sequence: 1, index: 0)

    private func letter(_ round: UInt32) -> DeadLetterSummary {
        DeadLetterSummary(
            id: first, round: round, kind: PayloadKind(type: "T"), size: 1, pool: "p", failures: 1, reason: "r",
            deadLettered: WallTime(milliseconds: 1))
    }

    @Test("pages, letters, held loops and status come as they are")
    func reading() async throws {
        let coordinator = try await TestCoordinator(host: fleet.host)
        let client = FleetClient(connect: coordinator.endpoint)
        fleet.bury(5)
        let page = try await client.deadLetters(after: first, limit: 2)
        #expect(page.elements.map(\.id.sequence) == [2, 3])
        #expect(page.more)
        #expect(try await client.deadLetters(after: EffectID(loop: .main, sequence: 3, index: 0)).more == false)
        let shown = try await client.deadLetter(first)
        #expect(shown.letter.pool == "greeters")
        #expect(shown.effect.bytes == Array("{\n \"greet\": \"ada/1\"}".utf8))
        #expect(try await client.effects().elements.isEmpty)
        #expect(try await client.retryDeadLetter(first) == .done)
        #expect(try await client.effects(loop: .main, pool: "greeters").elements.map(\.id) == [first])
        #expect(try await client.effects(pool: "other").elements.isEmpty)
        fleet.hold(.main)
        #expect(try await client.quarantine().elements.map(\.loop) == [.main])
        #expect(try await client.quarantined(.main).event.bytes == Array("[1]".utf8))
        #expect(try await client.release(.main, drop: true, sequence: 8) == .done)
        #expect(try await client.release(.main, drop: true, sequence: 8) == .repeated)
        #expect(try await client.status().pending == 1)
        await client.close()
    }

    @Test("what is not there is said so, by name")
    func notFound() async throws {
        let coordinator = try await TestCoordinator(host: fleet.host)
        let client = FleetClient(connect: coordinator.endpoint)
        let letter = await #expect(throws: FleetClientError.self) { try await client.deadLetter(first) }
        #expect(
            letter == FleetClientError(.notFound, "The coordinator at \(client.endpoint) has no dead letter main/1/0."))
        await #expect(throws: FleetClientError.Code.notFound) {
            try await coded { try await client.dropDeadLetter(first) }
        }
        await #expect(throws: FleetClientError.Code.notFound) {
            try await coded { try await client.retryDeadLetter(first, round: 0) }
        }
        await #expect(throws: FleetClientError.Code.notFound) {
            try await coded { try await client.quarantined(.main) }
        }
        let shop = try #require(LoopID("shop"))
        await #expect(throws: FleetClientError.Code.notFound) { try await coded { try await client.release(shop) } }
        await client.close()
    }

    @Test("an end whose answer is lost is not refused when it is asked for again")
    func endedBefore() async throws {
        let coordinator = try await TestCoordinator(host: fleet.host)
        let client = FleetClient(connect: coordinator.endpoint, timeout: .seconds(3600))
        fleet.change { $0.lostAnswers = 1 }
        let ending = Task { try await client.end(.main, why: "a test") }
        try await coordinator.requests.wait { $0.count == 1 }
        await coordinator.end()
        let next = try await TestCoordinator(after: coordinator, epoch: 2, host: fleet.host)
        #expect(try await ending.value == .repeated)
        #expect(next.requests.elements == [.end(.main, why: "a test")])
        // Somebody else is told that it has ended.
        await #expect(throws: FleetClientError.Code.refused) {
            try await coded { try await client.end(.main, why: "a test") }
        }
        await client.close()
    }

    @Test("a retry whose answer is lost does not requeue a second death")
    func secondDeath() async throws {
        fleet.bury(1)
        let coordinator = try await TestCoordinator(host: fleet.host)
        let client = FleetClient(connect: coordinator.endpoint, timeout: .seconds(3600))
        fleet.change { $0.lostAnswers = 1 }
        let retrying = Task { try await client.retryDeadLetter(first, round: 0) }
        try await coordinator.requests.wait { $0.count == 1 }
        await coordinator.end()
        // Meanwhile it failed again.
        let again = letter(1)
        fleet.change { state in
            state.effects = []
            state.letters[again.id] = (again, Payload(kind: again.kind, bytes: [1]))
        }
        let next = try await TestCoordinator(after: coordinator, epoch: 2, host: fleet.host)
        #expect(try await retrying.value == .repeated)
        #expect(fleet.change { $0.letters.count } == 1)
        // And again, if its answer took more than a second.
        #expect(Set(next.requests.elements) == [.retry(first, round: 0)])
    }

    @Test("a drop whose answer is lost is known to be done: what was shown is gone")
    func droppedTwice() async throws {
        fleet.bury(1)
        let coordinator = try await TestCoordinator(host: fleet.host)
        let client = FleetClient(connect: coordinator.endpoint, timeout: .seconds(3600))
        fleet.change { $0.lostAnswers = 1 }
        let dropping = Task { try await client.dropDeadLetter(first, round: 0) }
        try await coordinator.requests.wait { $0.count == 1 }
        await coordinator.end()
        let next = try await TestCoordinator(after: coordinator, epoch: 2, host: fleet.host)
        #expect(try await dropping.value == .repeated)
        #expect(Set(next.requests.elements) == [.drop(first, round: 0)])
    }
}
