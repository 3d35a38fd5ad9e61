import MobiusWire
import Testing

@Suite("Round trips")
struct RoundTripTests {
    @Test("every message comes back as it was said", arguments: Command.allCases)
    func roundTrip(command: Command) throws {
        var generator = SeededGenerator(state: UInt64(command.rawValue))
        for _ in 0..<500 {
            let message = generator.message(command)
            let bytes = message.encoded
            #expect(try AnyMessage(decoding: bytes) == message)
        }
    }

    @Test("a message of 255 kinds of payload names each of them")
    func manyKinds() throws {
        let orders = (0..<255).map { number in
            EffectOrder(id: Examples.fresh, effect: Payload(kind: PayloadKind(type: "Type\(number)"), bytes: []))
        }
        let message = AnyMessage.coordinator(
            Envelope(epoch: 1, session: 1, message: .effects(after: 0, orders + orders)))
        #expect(try AnyMessage(decoding: message.encoded) == message)
    }

    @Test("a kind is written once, however many payloads have it")
    func kindsAreShared() {
        let payload = Payload(kind: PayloadKind(type: "Greeter.Effect"), bytes: [1])
        let lengths = [1, 2, 3].map { count in
            let orders = [EffectOrder](repeating: EffectOrder(id: Examples.fresh, effect: payload), count: count)
            return AnyMessage.coordinator(Envelope(epoch: 1, session: 1, message: .effects(after: 0, orders))).encoded
                .count
        }
        // loop 5, sequence 8, index 4, epoch 8, attempt 4, timeout 4, no trace 1, kind 1, length 4, payload 1
        #expect(lengths[1] - lengths[0] == 40)
        #expect(lengths[2] - lengths[1] == 40)
    }
}
