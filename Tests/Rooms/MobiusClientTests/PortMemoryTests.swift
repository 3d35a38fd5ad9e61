import FleetTestSupport
import MobiusCoordinator
import MobiusTransport
import MobiusWire
import TestTraits
import Testing

/// What one client may make the port for clients hold.
@Suite("The port's memory", .patient)
struct PortMemoryTests {
    private let context = Context()

    @Test("the frames that are read ahead of one client are bounded in bytes, whatever the limit of payloads")
    func readAhead() {
        var limits = ClientPort.Limits()
        for payload in [1 << 10, 1 << 20, 4 << 20, 64 << 20, 256 << 20] as [UInt32] {
            limits.maximumPayload = payload
            #expect(limits.maximumFrame > Int(payload) && limits.maximumFrame <= 2 * Int(payload) + (64 << 10))
            #expect(limits.framesAhead >= 2)
            #expect(limits.framesAhead * limits.maximumFrame <= max(64 << 20, 2 * limits.maximumFrame))
        }
    }

    @Test("large answers that a client does not read are bounded in bytes; then it is told to ask later")
    func unread() async throws {
        let fleet = TestFleet()
        let letter = DeadLetterSummary(
            id: EffectID(loop: .main, sequence: 1, index: 0), kind: PayloadKind(type: "T"), size: 1, pool: nil,
            failures: 1, reason: "", deadLettered: WallTime(milliseconds: 0))
        let big = Payload(kind: letter.kind, bytes: [UInt8](repeating: 1, count: 1 << 20))
        fleet.change { $0.letters[letter.id] = (letter, big) }
        var limits = ClientPort.Limits()
        limits.unwrittenBytes = 8 << 20
        let coordinator = try await TestCoordinator(limits: limits, host: fleet.host)
        try await inOneGo { [context] in
            let count = 200
            var slow = try RawClient(context, to: coordinator.endpoint, receives: 1)
            for number in 1...count { try slow.ask(UInt64(number), .letter(letter.id)) }
            var quick = try RawClient(context, to: coordinator.endpoint)
            var number: UInt64 = 0
            repeat {
                number += 1
                try quick.ask(number, .quarantined(.main))
                #expect(try quick.answer()?.answer == .notFound)
            } while coordinator.requests.elements.count < count + Int(number)
            var (letters, busy) = (0, 0)
            while letters + busy < count, let answer = try slow.answer()?.answer {
                switch answer {
                case .letter: letters += 1
                case .busy: busy += 1
                default: Issue.record("\(answer)")
                }
            }
            // What the port held, one on its way in this process, and what the system's buffers took.
            #expect((4...24).contains(letters), "\(letters) letters of 1 MiB, and \(busy) times busy")
            #expect(letters + busy == count)
            try slow.ask(1000, .letter(letter.id))
            guard case .letter? = try slow.answer()?.answer else {
                Issue.record("it has read all, and is not answered")
                return
            }
        }
    }

    @Test("answers of a few KiB that many clients do not read are bounded together; then they are told to ask later")
    func unreadByMany() async throws {
        let fleet = TestFleet()
        let letter = DeadLetterSummary(
            id: EffectID(loop: .main, sequence: 1, index: 0), kind: PayloadKind(type: "T"), size: 1, pool: nil,
            failures: 1, reason: "", deadLettered: WallTime(milliseconds: 0))
        fleet.change {
            $0.letters[letter.id] = (letter, Payload(kind: letter.kind, bytes: [UInt8](repeating: 1, count: 3900)))
        }
        var limits = ClientPort.Limits()
        limits.unwrittenBytesOfAll = 4 << 20
        let coordinator = try await TestCoordinator(limits: limits, host: fleet.host)
        let (clients, count) = (20, 1000)
        try await inOneGo { [context] in
            try answered(context, coordinator, clients, count, letter.id)
        }
    }

    /// Lets each of many clients ask for a letter many times before one of them reads.
    private func answered(
        _ context: Context, _ coordinator: TestCoordinator, _ clients: Int, _ count: Int, _ letter: EffectID
    ) throws {
        var crowd: [Slow] = []
        for _ in 0..<clients {
            let slow = Slow(try RawClient(context, to: coordinator.endpoint, receives: 1))
            for number in 1...count { try slow.client.ask(UInt64(number), .letter(letter)) }
            crowd.append(slow)
        }
        var quick = try RawClient(context, to: coordinator.endpoint)
        var number: UInt64 = 0
        repeat {
            number += 1
            try quick.ask(number, .quarantined(.main))
            #expect(try quick.answer()?.answer == .notFound)
        } while coordinator.requests.elements.count < clients * count + Int(number)
        var (letters, busy) = (0, 0)
        for slow in crowd {
            for _ in 1...count {
                switch try slow.client.answer()?.answer {
                case .letter: letters += 1
                case .busy: busy += 1
                default: Issue.record("an answer is missing")
                }
            }
        }
        print("\(letters) letters of 4 KB, and \(busy) times busy")
        // What the port held, and what the system's buffers took; without the bound it is all, 80 MB.
        #expect((500...8000).contains(letters), "\(letters) letters of 4 KB, and \(busy) times busy")
        #expect(letters + busy == clients * count)
    }

    /// A client in a list.
    private final class Slow {
        var client: RawClient

        init(_ client: consuming RawClient) { self.client = client }
    }

    @Test("an event beyond the limit is refused with the limit and the option; one far beyond ends the connection")
    func tooLarge() async throws {
        var limits = ClientPort.Limits()
        limits.maximumPayload = 100_000
        let coordinator = try await TestCoordinator(limits: limits, host: TestFleet().host)
        try await inOneGo { [context] in
            var client = try RawClient(context, to: coordinator.endpoint)
            for size in [100_001, 190_000] {
                let event = Payload(kind: PayloadKind(type: ""), bytes: [UInt8](repeating: 0x20, count: size))
                try client.ask(UInt64(size), .send(loop: .main, key: "k", event: event))
                let answer = try #require(try client.answer())
                guard answer.number == UInt64(size), case .refused(let refusal) = answer.answer else {
                    Issue.record("\(answer)")
                    continue
                }
                #expect(refusal.code == .tooLarge)
                #expect(refusal.reason.contains("100000") && refusal.reason.contains("--max-payload"))
                #expect(refusal.reason.contains("reference or parts"))
            }
        }
    }
}
