import MobiusWire
import TestTraits
import Testing

@Suite("Any bytes", .ownThread)
struct HostileBytesTests {
    @Test("mutated messages are messages or typed errors", arguments: 1...4)
    func mutations(seed: UInt64) throws {
        var generator = SeededGenerator(state: seed << 32)
        var corpus = Examples.all.map(\.encoded)
        for _ in 0..<25 {
            corpus += Command.allCases.map { generator.message($0).encoded }.filter { $0.count < 600 }
        }
        var valid = 0
        for _ in 0..<50_000 {
            let bytes = generator.mutation(of: corpus)
            guard let message = try? AnyMessage(decoding: bytes) else { continue }
            valid += 1
            // What was understood is said in one way only, and understood alike.
            let canonical = message.encoded
            let again = try AnyMessage(decoding: canonical)
            if again != message || again.encoded != canonical {
                Issue.record("\(message) is not the same again: \(bytes)")
            }
        }
        // Both answers must be frequent, or the mutations are too wild or too tame.
        #expect((2_000...48_000).contains(valid))
    }

    @Test("every beginning of a message is truncated", arguments: Command.allCases)
    func beginnings(command: Command) {
        var generator = SeededGenerator(state: UInt64(command.rawValue))
        let messages = [Examples.command(command)] + (0..<40).map { _ in generator.message(command) }
        for bytes in messages.map(\.encoded) where bytes.count < 5000 {
            let wrong = (0..<bytes.count).filter { error(of: Array(bytes[..<$0]))?.code != .truncated }
            #expect(wrong == [], "\(bytes)")
        }
    }

    @Test("a byte more than a message is an error", arguments: Examples.all)
    func oneMore(example: AnyMessage) {
        for byte in [0, 1, 200, 255] as [UInt8] { #expect(error(of: example.encoded + [byte])?.code == .trailingBytes) }
    }

    @Test("nobody receives more orders than were sent")
    func orderCount() {
        var bytes = Examples.command(.heartbeat).encoded
        bytes[Head.length + 16] = 4
        #expect(error(of: bytes) == WireError(.invalidField, "4 orders received of 3 that were sent"))
    }

    @Test("a count is believed only when as many records can follow")
    func counts() {
        for (command, size) in Self.recordSizes {
            let head = command.start
            let room = [UInt8](repeating: 0, count: 10 * size)
            let tooMany = error(of: head + [11, 0, 0, 0] + room)
            let most = error(of: head + [255, 255, 255, 255] + room)
            let enough = error(of: head + [10, 0, 0, 0] + room)
            #expect(tooMany == WireError(.truncated, command.list))
            #expect(most == WireError(.truncated, command.list))
            // These are read, and the first loop is found to have no name.
            #expect(enough?.code == .invalidField)
        }
    }

    @Test("memory for records is at most four times their bytes")
    func amplification() {
        #expect(MemoryLayout<EffectOrder>.stride <= 4 * 36)
        #expect(MemoryLayout<EventReport>.stride <= 4 * 31)
        #expect(MemoryLayout<FailureReport>.stride <= 4 * 37)
        #expect(MemoryLayout<HeldAttempt>.stride <= 4 * 30)
        #expect(MemoryLayout<ReportID>.stride <= 4 * 30)
        #expect(MemoryLayout<AttemptID>.stride <= 4 * 26)
    }

    /// A message up to the count of its records.
    struct Start {
        let list: String
        let start: [UInt8]

        init(_ command: Command, _ list: String, _ ahead: [UInt8]) {
            self.list = list
            start = Array(Examples.command(command).encoded.prefix(Head.length)) + ahead
        }
    }

    /// Commands with records and the fewest bytes of one.
    private static let recordSizes: [(Start, Int)] = [
        (Start(.effect, "effects", [UInt8](repeating: 0, count: 9)), 36),
        (Start(.event, "events", [0, 0, 0, 0, 0, 0, 0, 0, 0]), 31),
        (Start(.fail, "failures", [0, 0, 0, 0, 0, 0, 0, 0]), 37),
        (Start(.heartbeat, "held", [UInt8](repeating: 0, count: 24)), 30),
        (Start(.draining, "held", []), 30),
        (Start(.ack, "reports", []), 30),
        (Start(.stale, "attempts", []), 26),
        (Start(.cancel, "attempts", []), 26),
    ]
}

extension SeededGenerator {
    /// One of the frames, damaged in one to three places.
    mutating func mutation(of corpus: [[UInt8]]) -> [UInt8] {
        var bytes = corpus[number(upTo: corpus.count - 1)]
        for _ in 0...number(upTo: 2) {
            let place = number(upTo: bytes.count)
            switch number(upTo: 6) {
            case 0 where place < bytes.count: bytes[place] ^= 1 << UInt8(number(upTo: 7))
            case 1 where place < bytes.count: bytes[place] = integer()
            case 2: bytes.removeSubrange(place...)
            case 3: bytes.append(contentsOf: (0...number(upTo: 9)).map { _ in integer() as UInt8 })
            case 4: bytes.insert(integer(), at: place)
            case 5:
                // From here on as another message goes on.
                let other = corpus[number(upTo: corpus.count - 1)]
                bytes = Array(bytes[..<place]) + other.dropFirst(place)
            default:
                // A length or count of anything up to the largest.
                guard place + 4 <= bytes.count else { continue }
                for byte in place..<place + 4 { bytes[byte] = chance(oneIn: 3) ? 0 : integer() }
            }
        }
        return bytes
    }
}
