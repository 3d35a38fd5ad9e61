import FleetTestSupport
import MobiusCoordinator
import MobiusDriver
import MobiusEngine
import MobiusTransport
import MobiusWire
import Synchronization
import TestTraits
import Testing

@Suite("The port for clients", .patient)
struct PortTests {
    private static let event = Payload(kind: PayloadKind(type: ""), bytes: Array("1".utf8))
    private let context = Context()

    /// An event of so many bytes.
    private static func send(_ size: Int) -> ClientRequest {
        .send(
            loop: .main, key: "k", event: Payload(kind: event.kind, bytes: [UInt8](repeating: 0x20, count: size)))
    }

    @Test("answers go to whom they belong, under their numbers and the epoch")
    func answers() async throws {
        let coordinator = try await TestCoordinator(epoch: 7, host: TestFleet().host)
        try await inOneGo { [context] in
            var ada = try RawClient(context, to: coordinator.endpoint)
            var bob = try RawClient(context, to: coordinator.endpoint)
            try ada.ask(1, .send(loop: .main, key: "1", event: Self.event))
            #expect(try ada.answer() == NumberedAnswer(epoch: 7, number: 1, answer: .done(repeated: false)))
            try bob.ask(1, .send(loop: .main, key: "1", event: Self.event))
            #expect(try bob.answer() == NumberedAnswer(epoch: 7, number: 1, answer: .done(repeated: true)))
            try bob.ask(900, .letter(EffectID(loop: .main, sequence: 1, index: 0)))
            #expect(try bob.answer() == NumberedAnswer(epoch: 7, number: 900, answer: .notFound))
        }
    }

    @Test("a request that is asked again while it waits is handed over once")
    func repeatedWhileWaiting() async throws {
        let ids = Journey<RequestID>()
        let coordinator = try await TestCoordinator { id, _ in
            ids.add(id)
            return nil
        }
        try await inOneGo { [context] in
            let client = try RawClient(context, to: coordinator.endpoint)
            for number in [1, 1, 1, 2] { try client.ask(UInt64(number), .status) }
        }
        try await ids.wait { $0.count == 2 }
        #expect(ids.elements.allSatisfy { $0.isOfClient })
        #expect(!RequestID(4711).isOfClient)
    }

    @Test("a flood is told busy, others are served, and answers make room")
    func flood() async throws {
        let ids = Journey<RequestID>()
        var limits = ClientPort.Limits()
        limits.waiting = 5
        limits.waitingPerPeer = 3
        limits.retryAfter = 77
        let coordinator = try await TestCoordinator(limits: limits) { id, _ in
            ids.add(id)
            return nil
        }
        try await inOneGo { [context] in
            var flood = try RawClient(context, to: coordinator.endpoint)
            for number in 1...100 { try flood.ask(UInt64(number), .status) }
            // Three wait; all others are refused at once, in order.
            for number in 4...100 {
                #expect(
                    try flood.answer()
                        == NumberedAnswer(epoch: 1, number: UInt64(number), answer: .busy(retryAfter: 77)))
            }
            var other = try RawClient(context, to: coordinator.endpoint)
            for number in 1...3 { try other.ask(UInt64(number), .status) }
            // The port holds five of all clients.
            #expect(try other.answer()?.answer == .busy(retryAfter: 77))
            coordinator.answer(ids.elements[0], .notFound)
            #expect(try flood.answer() == NumberedAnswer(epoch: 1, number: 1, answer: .notFound))
            try flood.ask(101, .status)
        }
        try await ids.wait { $0.count == 6 }
    }

    @Test("bytes of payload are bounded, but one event always has room; what is too large is refused")
    func bytes() async throws {
        var limits = ClientPort.Limits()
        limits.waitingBytes = 1000
        limits.maximumPayload = 5000
        let ids = Journey<RequestID>()
        let coordinator = try await TestCoordinator(limits: limits) { id, _ in
            ids.add(id)
            return nil
        }
        let retryAfter = limits.retryAfter
        try await inOneGo { [context] in
            var client = try RawClient(context, to: coordinator.endpoint)
            try client.ask(1, Self.send(5000))
            try client.ask(2, Self.send(1))
            #expect(try client.answer()?.answer == .busy(retryAfter: retryAfter))
            try client.ask(3, Self.send(5001))
            let reason =
                "The event has 5001 bytes, but this coordinator takes at most 5000: raise the coordinator's limit "
                + "(--max-payload, in code maximumPayload), or send a reference or parts."
            let refusal = ClientRefusal(.tooLarge, reason)
            #expect(try client.answer() == NumberedAnswer(epoch: 1, number: 3, answer: .refused(refusal)))
            coordinator.answer(ids.elements[0], .done(repeated: false))
            #expect(try client.answer()?.answer == .done(repeated: false))
            try client.ask(4, Self.send(500))
            try client.ask(5, Self.send(500))
        }
        try await ids.wait { $0.count == 3 }
    }

    @Test("noise is refused once per peer, an unknown command under its number")
    func noise() async throws {
        let coordinator = try await TestCoordinator(host: TestFleet().host)
        try await inOneGo { [context] in
            var client = try RawClient(context, to: coordinator.endpoint)
            for noise in [[], [1, 2, 3], Array("GET / HTTP/1.1\r\n\r\n".utf8)] { try client.say(noise) }
            try client.say(frames: [[1], [2]])
            let refused = try #require(try client.answer())
            #expect(refused.number == 0)
            guard case .refused(let refusal) = refused.answer else { throw Unexpected(answer: refused) }
            #expect(refusal.code == .malformed)
            #expect(refusal.reason == "Not a request of this version: truncated: signature.")

            var later: [UInt8] = []
            NumberedRequest(number: 5, request: .status).encode(into: &later)
            later[3] = 160
            try client.say(later)
            later[3] = 131
            try client.say(later.prefix(Head.length) + Array(#"{"after":"main"}"#.utf8))
            let unknown = ClientRefusal(.unsupported, "Not a request of this version: unknownCommand: command 160.")
            #expect(try client.answer() == NumberedAnswer(epoch: 1, number: 5, answer: .refused(unknown)))
            let cut = ClientRefusal(.malformed, "Not a request of this version: invalidField: after is no EffectID.")
            #expect(try client.answer() == NumberedAnswer(epoch: 1, number: 5, answer: .refused(cut)))
            try client.ask(6, .letter(EffectID(loop: .main, sequence: 1, index: 0)))
            #expect(try client.answer()?.answer == .notFound)
        }
        #expect(coordinator.notes.elements == ["client not understood truncated: signature"])
    }

    @Test("a worker at the wrong socket is rejected in its own words")
    func worker() async throws {
        let coordinator = try await TestCoordinator(host: TestFleet().host)
        try await inOneGo { [context] in
            var worker = try RawClient(context, to: coordinator.endpoint)
            let hello = Hello(
                incarnation: Incarnation(high: 1, low: 2), pools: ["p"], build: "", contentTypes: [], creditTotal: 1)
            var bytes: [UInt8] = []
            Envelope<WorkerMessage>(epoch: 0, session: 0, message: .hello(hello)).encode(into: &bytes)
            try worker.say(bytes)
            let heard = try #require(try worker.hear())
            let envelope = try Envelope<CoordinatorMessage>(decoding: heard.span.bytes)
            guard case .reject(let reason) = envelope.message else { throw Unexpected(answer: envelope) }
            #expect(reason.contains("socket for clients"))
        }
    }

    @Test("random frames never hurt, and the port goes on")
    func random() async throws {
        let coordinator = try await TestCoordinator(host: TestFleet().host)
        try await inOneGo { [context] in
            let noisy = try RawClient(context, to: coordinator.endpoint, receives: 1)
            var random = SystemRandomNumberGenerator()
            for _ in 0..<5000 {
                var bytes = (0..<Int.random(in: 0...80)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
                if Bool.random() {
                    bytes = [0x4D, 0x46, 1, UInt8.random(in: 125...205)] + bytes
                }
                try noisy.say(bytes)
            }
            var client = try RawClient(context, to: coordinator.endpoint)
            try client.ask(1, .quarantined(.main))
            #expect(try client.answer()?.answer == .notFound)
        }
    }

    @Test("who does not read holds nobody up: its answers are dropped")
    func slowReader() async throws {
        let fleet = TestFleet()
        let letter = DeadLetterSummary(
            id: EffectID(loop: .main, sequence: 1, index: 0), kind: PayloadKind(type: "T"), size: 1, pool: nil,
            failures: 1,
            reason: "", deadLettered: WallTime(milliseconds: 0))
        // More than the port's queue and the system's buffers hold.
        let (count, big) = (4000, Payload(kind: letter.kind, bytes: [UInt8](repeating: 1, count: 16_000)))
        fleet.change { $0.letters[letter.id] = (letter, big) }
        let coordinator = try await TestCoordinator(host: fleet.host)
        try await inOneGo { [context] in
            var slow = try RawClient(context, to: coordinator.endpoint, receives: 1)
            for number in 1...count { try slow.ask(UInt64(number), .letter(letter.id)) }
            var quick = try RawClient(context, to: coordinator.endpoint)
            var number: UInt64 = 0
            repeat {
                number += 1
                try quick.ask(number, .quarantined(.main))
                #expect(try quick.answer()?.answer == .notFound)
            } while coordinator.requests.elements.count < count + Int(number)
            var answered = 0
            // Those that were kept come, however long it takes.
            while try slow.hear(within: answered < 1000 ? Patience.limit : .milliseconds(300)) != nil { answered += 1 }
            #expect((1000..<count).contains(answered))
        }
    }

    @Test("peers that left take their answers along")
    func gone() async throws {
        let ids = Journey<RequestID>()
        var limits = ClientPort.Limits()
        limits.waiting = 1
        let coordinator = try await TestCoordinator(limits: limits) { id, _ in
            ids.add(id)
            return nil
        }
        try await inOneGo { [context] in
            let client = try RawClient(context, to: coordinator.endpoint)
            try client.ask(1, .status)
        }
        try await ids.wait { $0.count == 1 }
        coordinator.answer(ids.elements[0], .notFound)
        coordinator.answer(ids.elements[0], .notFound)
        try await inOneGo { [context] in
            var client = try RawClient(context, to: coordinator.endpoint)
            // Busy until the answer has gone nowhere; then one of these waits in its place.
            for number in 1...1000 where ids.elements.count < 2 {
                try client.ask(UInt64(number), .status)
                _ = try client.hear(within: .milliseconds(200))
            }
        }
        try await ids.wait { $0.count == 2 }
    }

    @Test("an endpoint that is taken, or is none, is an error")
    func endpoints() async throws {
        let coordinator = try await TestCoordinator(at: "tcp://127.0.0.1:*", host: TestFleet().host)
        #expect(coordinator.endpoint.hasPrefix("tcp://127.0.0.1:"))
        await #expect(throws: ZeroMQError.self) {
            try await TestCoordinator(at: coordinator.endpoint, host: TestFleet().host)
        }
        await #expect(throws: ZeroMQError.self) {
            try await TestCoordinator(at: "tcp://127.0.0.1", host: TestFleet().host)
        }
    }
}

private struct Unexpected: Error {
    let answer: any Sendable
}
