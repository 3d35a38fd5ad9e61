import FleetTestSupport
import MobiusClient
import MobiusCoordinator
import MobiusTransport
import MobiusWire
import TestTraits
import Testing

/// A real client, and routers in place of coordinators that share a journal.
@Suite(.patient)
struct MovedClientTests {
    /// An owner that confirms events; those of `limit` and more it takes and does not answer.
    private func owner(epoch: UInt64, took: Journey<String>, limit: Int = .max) async throws -> ScriptedRouter {
        try await ScriptedRouter { frame in
            guard let request = try? NumberedRequest(decoding: frame.span.bytes),
                case .send(_, let key, _, _) = request.request
            else { return [] }
            guard took.elements.count < limit else { return [] }
            took.add(key)
            return [request.answer(.done(repeated: false), epoch: epoch)]
        }
    }

    private func client(_ doors: [ScriptedRouter], timeout: Duration = .seconds(60)) -> FleetClient {
        FleetClient(connect: doors.map(\.endpoint).joined(separator: ","), timeout: timeout, logger: .quiet)
    }

    private let event = Payload(kind: PayloadKind(type: "", version: 0), bytes: Array("1".utf8))

    @Test func requestsGoOnAtTheNextOwner() async throws {
        let place = Owner()
        let doors = [
            try await ScriptedRouter.silent(), try await ScriptedRouter.clientsDoor(to: place),
            try await ScriptedRouter.clientsDoor(to: place),
        ]
        let (first, second) = (Journey<String>(), Journey<String>())
        let firstOwner = try await owner(epoch: 1, took: first)
        place.current = firstOwner.endpoint
        let client = client(doors)
        try await client.send(event, key: "1")
        place.current = nil
        await firstOwner.stop()
        async let sent = client.send(event, key: "2")
        let secondOwner = try await owner(epoch: 2, took: second)
        place.current = secondOwner.endpoint
        _ = try await sent
        #expect(first.elements == ["1"])
        #expect(second.elements == ["2"])
        await client.close()
    }

    @Test func aHundredOrderedEventsArriveInOrderAcrossAMove() async throws {
        let place = Owner()
        let doors = [try await ScriptedRouter.clientsDoor(to: place), try await ScriptedRouter.clientsDoor(to: place)]
        let (first, second) = (Journey<String>(), Journey<String>())
        let firstOwner = try await owner(epoch: 1, took: first, limit: 40)
        place.current = firstOwner.endpoint
        let client = FleetClient(
            connect: doors.map(\.endpoint).joined(separator: ","), key: nil, timeout: .seconds(60),
            maximumPayload: 1 << 20, isForPeople: false, window: BulkSend.window, logger: .quiet)
        let keys = (1...100).map(String.init)
        let (event, thread) = (event, TaskThread())
        async let applied = thread.run {
            let bulk = BulkSend(client, begins: true, after: 0, skipsRefused: false) { _, _ in }
            for (line, key) in keys.enumerated() {
                _ = bulk.send(BulkSend.Item(line: UInt64(line + 1), loop: .main, key: key, event: event))
            }
            return bulk.finish().applied
        }
        try await first.wait { $0.count == 40 }
        let secondOwner = try await owner(epoch: 2, took: second)
        place.current = secondOwner.endpoint
        await firstOwner.stop()
        #expect(try await applied == 100)
        #expect(first.elements == Array(keys.prefix(40)))
        // Where the last answers of the first owner were lost, the second gets these events, too.
        #expect(second.elements.count >= 60)
        #expect(second.elements == Array(keys.suffix(second.elements.count)), "each once, and in order")
        await client.close()
    }

    @Test func anOwnerThatAcceptsAndDoesNotAnswerIsLeft() async throws {
        let place = Owner()
        let door = try await ScriptedRouter.clientsDoor(to: place)
        let took = Journey<String>()
        let paused = try await owner(epoch: 1, took: took, limit: 1)
        place.current = paused.endpoint
        let client = client([door])
        try await client.send(event, key: "1")
        let second = Journey<String>()
        let next = try await owner(epoch: 2, took: second)
        place.current = next.endpoint
        try await client.send(event, key: "2")
        #expect(second.elements == ["2"])
        await client.close()
    }

    @Test func withoutAnOwnerAClientIsToldThatAllAreBusy() async throws {
        let doors = [
            try await ScriptedRouter.clientsDoor(to: Owner()), try await ScriptedRouter.clientsDoor(to: Owner()),
        ]
        let client = client(doors, timeout: .seconds(1))
        let error = await #expect(throws: FleetClientError.self) { try await client.send(event, key: "1") }
        #expect(error?.code == .busy)
        await client.close()
        for door in doors { await door.stop() }
        let lonely = self.client(doors, timeout: .milliseconds(300))
        let unreachable = await #expect(throws: FleetClientError.self) { try await lonely.send(event, key: "1") }
        #expect(unreachable?.code == .unreachable)
        await lonely.close()
    }
}
