import MobiusWire
import TestTraits
import Testing

@Suite("Bytes of the client protocol", .ownThread)
struct ClientBytesTests {
    @Test("every frame comes back as it was said", arguments: ClientCommand.allCases)
    func roundTrip(command: ClientCommand) throws {
        var generator = SeededGenerator(state: UInt64(command.rawValue))
        for _ in 0..<500 {
            let message = generator.clientMessage(command)
            #expect(try ClientMessage(decoding: message.encoded) == message)
        }
    }

    @Test("mutated frames are frames or typed errors", arguments: 1...4)
    func mutations(seed: UInt64) throws {
        var generator = SeededGenerator(state: seed << 32)
        var corpus = ClientExamples.all.map(\.encoded)
        for _ in 0..<20 {
            corpus += ClientCommand.allCases.map { generator.clientMessage($0).encoded }.filter { $0.count < 600 }
        }
        var valid = 0
        for _ in 0..<40_000 {
            let bytes = generator.mutation(of: corpus)
            guard let message = try? ClientMessage(decoding: bytes) else { continue }
            valid += 1
            // What was understood is said in one way only, and understood alike.
            let canonical = message.encoded
            let again = try ClientMessage(decoding: canonical)
            if again != message || again.encoded != canonical {
                Issue.record("\(message) is not the same again: \(bytes)")
            }
        }
        // Both answers must be frequent, or the mutations are too wild or too tame.
        #expect((2_000...38_000).contains(valid))
    }

    @Test("random bytes are typed errors")
    func noise() {
        var generator = SeededGenerator(state: 9)
        for _ in 0..<20_000 {
            let body: [UInt8] = (0..<generator.number(upTo: 60)).map { _ in generator.integer() }
            // Half of them behind a head that is read.
            let command = ClientCommand.allCases[generator.number(upTo: ClientCommand.allCases.count - 1)]
            let head: [UInt8] = [0x4D, 0x46, 1, command.rawValue] + (0..<16).map { _ in generator.integer() }
            _ = clientError(of: generator.chance(oneIn: 2) ? body : head + body)
        }
    }

    @Test("every beginning of a frame is truncated", arguments: ClientCommand.allCases)
    func beginnings(command: ClientCommand) {
        var generator = SeededGenerator(state: UInt64(command.rawValue))
        let messages = [ClientExamples.command(command)] + (0..<40).map { _ in generator.clientMessage(command) }
        for bytes in messages.map(\.encoded) where bytes.count < 5000 {
            let wrong = (0..<bytes.count).filter { clientError(of: Array(bytes[..<$0]))?.code != .truncated }
            #expect(wrong == [], "\(bytes)")
        }
    }

    @Test("a byte more than a frame is an error", arguments: ClientExamples.all)
    func oneMore(example: ClientMessage) {
        for byte in [0, 1, 200] as [UInt8] {
            #expect(clientError(of: example.encoded + [byte])?.code == .trailingBytes)
        }
    }

    @Test("tags of later versions are skipped", arguments: ClientExamples.all)
    func unknownTags(example: ClientMessage) throws {
        let news: [UInt8] = [200, 3, 0, 0, 0, 1, 2, 3, 255, 0, 0, 0, 0]
        #expect(try ClientMessage(decoding: example.encoded.dropLast() + news + [0]) == example)
        #expect(clientError(of: example.encoded.dropLast() + [200, 3, 0, 0, 0, 1]) == WireError(.truncated, "field"))
    }

    @Test("what is required is missed by name")
    func missing() {
        for (command, name) in [
            (ClientCommand.send, "loop"), (.showLetter, "effect"), (.retryLetter, "effect"), (.dropLetter, "effect"),
            (.showQuarantine, "loop"), (.release, "loop"), (.busy, "retry after"), (.refused, "code"),
            (.letter, "kind"),
            (.quarantined, "kind"), (.status, "status"),
        ] {
            let head = Array(ClientExamples.command(command).encoded.prefix(Head.length))
            #expect(clientError(of: head + [0]) == WireError(.missingField, name))
        }
    }

    @Test("numbers count from 1, keys are not empty, flags are 0 or 1")
    func invalid() {
        var bytes = ClientExamples.command(.askStatus).encoded
        bytes.replaceSubrange(12..<20, with: [UInt8](repeating: 0, count: 8))
        #expect(clientError(of: bytes) == WireError(.invalidField, "requests count from 1"))
        let keyless: [UInt8] = ClientExamples.command(.send).encoded.dropLast() + [2, 1, 0, 0, 0, 0, 0]
        #expect(clientError(of: keyless) == WireError(.invalidField, "key must have 1 to 255 bytes"))
        let released: [UInt8] = ClientExamples.command(.release).encoded.dropLast() + [10, 1, 0, 0, 0, 2, 0]
        #expect(clientError(of: released) == WireError(.invalidField, "drop is neither 0 nor 1"))
    }

    @Test("the number of what cannot be read is found where the head can")
    func number() {
        var bytes = ClientExamples.command(.showLetter).encoded
        bytes[3] = 190
        #expect(NumberedRequest.number(of: bytes.span.bytes) == 4)
        #expect(NumberedRequest.number(of: Array(bytes.prefix(Head.length)).span.bytes) == 4)
        #expect(NumberedRequest.number(of: Array(bytes.prefix(Head.length - 1)).span.bytes) == nil)
        bytes[2] = 2
        #expect(NumberedRequest.number(of: bytes.span.bytes) == nil)
    }

    @Test("a reason has up to 1,024 bytes, whoever made it longer")
    func reasons() throws {
        var letter = DeadLetterSummary(
            id: ClientExamples.effect, kind: PayloadKind(type: "T"), size: 0, pool: nil, failures: 1, reason: "",
            deadLettered: ClientExamples.time)
        letter.reason = String(repeating: "🦊", count: 1000)
        let sent = ClientMessage.answer(NumberedAnswer(epoch: 1, number: 1, answer: .letters([letter], more: false)))
        letter.reason = String(letter.reason.prefix(256))
        let cut = ClientMessage.answer(NumberedAnswer(epoch: 1, number: 1, answer: .letters([letter], more: false)))
        #expect(try ClientMessage(decoding: sent.encoded) == cut)
        #expect(ClientRefusal(.malformed, String(repeating: "x", count: 2000)).reason.utf8.count == 1024)
    }

    @Test("misuse is told in a sentence")
    func misuse() async {
        await #expect(processExitsWith: .failure) {
            _ = ClientMessage.request(NumberedRequest(number: 0, request: .status)).encoded
        }
        await #expect(processExitsWith: .failure) {
            let event = Payload(kind: PayloadKind(type: ""), bytes: [])
            let request = ClientRequest.send(loop: .main, key: String(repeating: "k", count: 256), event: event)
            _ = ClientMessage.request(NumberedRequest(number: 1, request: request)).encoded
        }
    }
}
