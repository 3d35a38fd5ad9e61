import FleetTestSupport
import MobiusClient
import MobiusWire
import TestTraits
import Testing

@Suite("A client and a coordinator", .patient)
struct ClientTests {
    struct Visit: Codable, Hashable, Sendable {
        var visitor: String
    }

    private let fleet = TestFleet()

    @Test("an event is applied once per key and loop, however often it is sent")
    func onceByKey() async throws {
        let coordinator = try await TestCoordinator(host: fleet.host)
        let client = FleetClient(connect: coordinator.endpoint)
        #expect(try await client.send(Visit(visitor: "ada"), key: "1").outcome == .done)
        #expect(try await client.send(Visit(visitor: "ada"), key: "1").outcome == .repeated)
        #expect(
            try await client.send(Visit(visitor: "ada"), loop: try #require(LoopID("other")), key: "1").outcome == .done
        )
        #expect(try await client.send(Visit(visitor: "bob")).outcome == .done)
        #expect(try await client.send(Visit(visitor: "bob")).outcome == .done)
        #expect(fleet.events.map(\.key).prefix(3) == ["1", "1", fleet.events[2].key])
        #expect(fleet.events.count == 4)
        #expect(fleet.events[0].event.bytes == Array(#"{"visitor":"ada"}"#.utf8))
        #expect(fleet.events[0].event.kind == PayloadKind(type: "", version: 0))
        await client.close()
    }

    @Test("answers that get lost are asked for again, and nothing is done twice")
    func lostAnswers() async throws {
        let coordinator = try await TestCoordinator(host: fleet.host)
        let client = FleetClient(connect: coordinator.endpoint, timeout: .seconds(3600))
        fleet.change { $0.lostAnswers = 1 }
        // The port still waits for its host's answer, so it knows the request when it comes again; a crash forgets it.
        let sending = Task { try await client.send(Visit(visitor: "ada"), key: "1") }
        try await coordinator.requests.wait { $0.count == 1 }
        await coordinator.end()
        let next = try await TestCoordinator(after: coordinator, epoch: 2, host: fleet.host)
        #expect(try await sending.value.outcome == .repeated)
        #expect(fleet.events.count == 1)
        // And again, if its answer took more than a second.
        #expect(Set(next.requests.elements).count == 1)
    }

    @Test("a client that is there first waits for its coordinator")
    func early() async throws {
        let first = try await TestCoordinator(host: fleet.host)
        await first.end()
        let client = FleetClient(connect: first.endpoint, timeout: .seconds(3600))
        let sending = Task { try await client.send(Visit(visitor: "ada"), key: "1") }
        let second = try await TestCoordinator(after: first, host: fleet.host)
        #expect(try await sending.value.outcome == .done)
        await second.end()
        await client.close()
    }

    @Test("three hundred senders at once through three restarts: each event exactly once")
    func restarts() async throws {
        fleet.change { $0.capacity = 100 }
        var coordinator = try await TestCoordinator(host: fleet.host)
        let client = FleetClient(connect: coordinator.endpoint, timeout: Patience.limit * 3)
        let sending = Task {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<300 {
                    group.addTask { try await client.send(Visit(visitor: "\(number)"), key: "\(number)") }
                }
                try await group.waitForAll()
            }
        }
        for (epoch, capacity) in [(2, 150), (3, 200), (4, .max)] {
            // The events that fill it are applied, but not answered: so each crash is one between commit and answer.
            let fleet = fleet
            try await eventually("all that goes") {
                fleet.change { $0.events.count == $0.capacity }
            }
            await coordinator.end()
            fleet.change { $0.capacity = capacity }
            coordinator = try await TestCoordinator(
                after: coordinator, epoch: UInt64(epoch), host: fleet.host)
        }
        try await sending.value
        #expect(Set(fleet.events.map(\.key)).count == 300)
        #expect(fleet.events.count == 300)
        await client.close()
    }

    @Test("busy is waited for, and told when the time is over")
    func busy() async throws {
        let coordinator = try await TestCoordinator(host: fleet.host)
        let client = FleetClient(connect: coordinator.endpoint, timeout: .seconds(3600))
        _ = try await client.status()
        fleet.change { $0.excuse = .busy(retryAfter: 10) }
        await #expect(throws: FleetClientError.Code.busy) {
            try await coded { try await client.send(Visit(visitor: "ada"), key: "1", timeout: .seconds(4)) }
        }
        let sending = Task { try await client.send(Visit(visitor: "ada"), key: "1") }
        let before = coordinator.requests.elements.count
        try await coordinator.requests.wait { $0.count >= before + 3 }
        fleet.change { $0.excuse = nil }
        #expect(try await sending.value.outcome == .done)
    }

    @Test("a coordinator that stops tells clients to come again, and its next run answers")
    func stopping() async throws {
        let coordinator = try await TestCoordinator(host: fleet.host)
        let client = FleetClient(connect: coordinator.endpoint, timeout: .seconds(3600))
        _ = try await client.status()
        try await coordinator.stop()
        let sending = Task { try await client.send(Visit(visitor: "ada"), key: "1") }
        await coordinator.end()
        let next = try await TestCoordinator(after: coordinator, host: fleet.host)
        #expect(try await sending.value.outcome == .done)
        // And again, if its answer took more than a second.
        #expect(Set(next.requests.elements).count == 1)
    }

    @Test("nobody there, nobody answering, closed, cancelled: each says so")
    func failures() async throws {
        let silent = try await TestCoordinator { _, request in request == .quarantined(.main) ? .notFound : nil }
        let client = FleetClient(connect: silent.endpoint, timeout: .milliseconds(300))
        await #expect(throws: FleetClientError.Code.notFound) {
            try await coded { try await client.quarantined(.main, timeout: .seconds(60)) }
        }
        await #expect(throws: FleetClientError.Code.timedOut) { try await coded { try await client.status() } }
        let waiting = Task { try await coded { try await client.status(timeout: .seconds(60)) } }
        try await silent.requests.wait { $0.filter { $0 == .status }.count == 2 }
        await client.close()
        await #expect(throws: FleetClientError.Code.closed) { try await waiting.value }
        await #expect(throws: FleetClientError.Code.closed) { try await coded { try await client.status() } }

        let other = FleetClient(connect: silent.endpoint)
        let cancelled = Task { try await other.status(timeout: .seconds(60)) }
        try await silent.requests.wait { $0.filter { $0 == .status }.count == 3 }
        cancelled.cancel()
        await #expect(throws: CancellationError.self) { try await cancelled.value }

        await silent.end()
        let nobody = FleetClient(connect: silent.endpoint, timeout: .milliseconds(200))
        let error = await #expect(throws: FleetClientError.self) { try await nobody.status() }
        #expect(error?.code == .unreachable)
        #expect(error?.message.contains(silent.endpoint) == true)
        let wrong = FleetClient(connect: "carrier-pigeon://home")
        await #expect(throws: FleetClientError.Code.endpoint) { try await coded { try await wrong.status() } }
    }

    @Test("what cannot be sent is refused before it is")
    func invalidEvents() async throws {
        let client = FleetClient(connect: "tcp://127.0.0.1:1", maximumPayload: 100)
        for key in ["", String(repeating: "k", count: 256)] {
            await #expect(throws: FleetClientError.Code.invalidEvent) {
                try await coded { try await client.send(Visit(visitor: "ada"), key: key) }
            }
        }
        await #expect(throws: FleetClientError.Code.invalidEvent) {
            try await coded { try await client.send(Visit(visitor: String(repeating: "x", count: 100))) }
        }
        await #expect(throws: FleetClientError.Code.invalidEvent) {
            try await coded { try await client.send(Double.nan) }
        }
        await client.close()
    }
}

/// What an operation throws, as its code, which can be compared.
func coded<Value>(_ operation: () async throws -> Value) async throws -> Value {
    do {
        return try await operation()
    } catch let error as FleetClientError {
        throw error.code
    }
}

extension FleetClientError.Code: Error {}
