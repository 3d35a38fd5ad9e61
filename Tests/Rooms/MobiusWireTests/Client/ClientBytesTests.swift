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
        for _ in 0..<12_000 {
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
        #expect((600...11_400).contains(valid))
    }

    @Test("random bytes are typed errors")
    func noise() {
        var generator = SeededGenerator(state: 9)
        for _ in 0..<20_000 {
            let body: [UInt8] = (0..<generator.number(upTo: 60)).map { _ in generator.integer() }
            // Half of them behind a head that is read.
            let command = ClientCommand.allCases[generator.number(upTo: ClientCommand.allCases.count - 1)]
            let head: [UInt8] = [0x4D, 0x46, 2, command.rawValue] + (0..<16).map { _ in generator.integer() }
            _ = clientError(of: generator.chance(oneIn: 2) ? body : head + body)
        }
    }

    @Test("every beginning of a frame is an error", arguments: ClientCommand.allCases)
    func beginnings(command: ClientCommand) {
        var generator = SeededGenerator(state: UInt64(command.rawValue))
        let messages = [ClientExamples.command(command)] + (0..<40).map { _ in generator.clientMessage(command) }
        for bytes in messages.map(\.encoded) where bytes.count < (command.isBinary ? 5000 : 700) {
            let wrong = (0..<bytes.count).filter {
                let code = clientError(of: Array(bytes[..<$0]))?.code
                return command.isBinary || $0 < Head.length ? code != .truncated : code == nil
            }
            #expect(wrong == [], "\(bytes)")
        }
    }

    @Test("a byte more than a frame is an error", arguments: ClientExamples.all)
    func oneMore(example: ClientMessage) {
        for byte in [0, 1, 200] as [UInt8] {
            let code = clientError(of: example.encoded + [byte])?.code
            #expect(code == (example.command.isBinary ? .trailingBytes : .invalidField))
        }
    }

    @Test("fields of later versions are skipped", arguments: ClientExamples.all)
    func unknownFields(example: ClientMessage) throws {
        guard example.command.isBinary else {
            var bytes = example.encoded
            let isEmpty = bytes[Head.length + 1] == UInt8(ascii: "}")
            let news = #""later":{"of":[1,"}"]}"# + (isEmpty ? "" : ",")
            bytes.insert(contentsOf: news.utf8, at: Head.length + 1)
            #expect(try ClientMessage(decoding: bytes) == example)
            return
        }
        let news: [UInt8] = [200, 3, 0, 0, 0, 1, 2, 3, 255, 0, 0, 0, 0]
        #expect(try ClientMessage(decoding: example.encoded.dropLast() + news + [0]) == example)
        #expect(clientError(of: example.encoded.dropLast() + [200, 3, 0, 0, 0, 1]) == WireError(.truncated, "field"))
    }

    @Test("what is required is missed by name")
    func missing() {
        for (command, name) in [
            (ClientCommand.showLetter, "effect"), (.retryLetter, "effect"), (.dropLetter, "effect"),
            (.act, "effect"), (.endLoop, "loop"), (.pausePool, "pool"), (.resumePool, "pool"),
            (.showQuarantine, "loop"), (.release, "loop"), (.readModel, "loop"), (.readHistory, "loop"),
        ] {
            #expect(clientError(of: frame(command, "{}")) == WireError(.missingField, name))
        }
        for (command, name) in [
            (ClientCommand.busy, "retryAfter"), (.refused, "code"), (.letter, "type"), (.quarantined, "type"),
            (.status, "program"), (.loops, "loops"), (.effects, "records"), (.history, "entries"),
        ] {
            let error = clientError(of: frame(command, "{}"))
            #expect(
                error?.code == .invalidField && error?.detail.contains(name) == true, "\(String(describing: error))")
        }
        let head = Array(ClientExamples.command(.send).encoded.prefix(Head.length))
        #expect(clientError(of: head + [0]) == WireError(.missingField, "key"))
    }

    @Test("fields that coordinators of earlier builds leave out are empty")
    func sparse() throws {
        let example = ClientExamples.command(.effect)
        guard case .answer(var answer) = example, case .effect(var effect, let payload) = answer.answer else { return }
        let bytes = String(decoding: example.encoded.dropFirst(Head.length), as: UTF8.self)
        let without = bytes.replacing(#","workerName":"greeters.1""#, with: "")
        #expect(without != bytes)
        effect.workerName = ""
        answer.answer = .effect(effect, payload: payload)
        #expect(try ClientMessage(decoding: frame(.effect, without)) == .answer(answer))
        #expect(ClientMessage.answer(answer).encoded == frame(.effect, without))
    }

    @Test("numbers count from 1, keys are not empty, values have their type")
    func invalid() {
        var bytes = ClientExamples.command(.askStatus).encoded
        bytes.replaceSubrange(12..<20, with: [UInt8](repeating: 0, count: 8))
        #expect(clientError(of: bytes) == WireError(.invalidField, "requests count from 1"))
        let keyless: [UInt8] = ClientExamples.command(.send).encoded.dropLast() + [2, 1, 0, 0, 0, 0, 0]
        #expect(clientError(of: keyless) == WireError(.invalidField, "key must have 1 to 255 bytes"))
        for wrong in [
            #"{"loop":"main","drop":2}"#, #"{"loop":""}"#, #"{"loop":"main","sequence":-1}"#, #"{"loop":7}"#, "[]", "",
        ] { #expect(clientError(of: frame(.release, wrong))?.code == .invalidField, "\(wrong)") }
        for after in ["1.2.3", "+5", "5.+1", "-1", "", "5.", ".1", "18446744073709551616"] {
            let error = clientError(of: frame(.readHistory, #"{"loop":"main","after":"\#(after)"}"#))
            #expect(error == WireError(.invalidField, "after is no HistoryPlace"), "\(after)")
        }
        for after in ["main", "main/1", "main/x/1", "main/+1/1", "main/01/1"] {
            let error = clientError(of: frame(.listEffects, #"{"after":"\#(after)"}"#))
            #expect(error == WireError(.invalidField, "after is no EffectID"))
        }
    }

    @Test("the values of a request in JSON cost no more than its 64 KiB allow")
    func largeRequests() {
        let name = String(repeating: "x", count: NumberedRequest.maximumJSON)
        #expect(clientError(of: frame(.askStatus, #"{"later":"\#(name)"}"#))?.code == .invalidField)
        let longer = String(repeating: "x", count: 256)
        #expect(clientError(of: frame(.listLoops, #"{"prefix":"\#(longer)"}"#))?.code == .invalidField)
        #expect(clientError(of: frame(.askStatus, String(repeating: "[", count: 60_000)))?.code == .invalidField)
    }

    @Test("the number of what cannot be read is found where the head can")
    func number() {
        var bytes = ClientExamples.command(.showLetter).encoded
        bytes[3] = 190
        #expect(NumberedRequest.number(of: bytes.span.bytes) == 4)
        #expect(NumberedRequest.number(of: Array(bytes.prefix(Head.length)).span.bytes) == 4)
        #expect(NumberedRequest.number(of: Array(bytes.prefix(Head.length - 1)).span.bytes) == nil)
        bytes[2] = 3
        #expect(NumberedRequest.number(of: bytes.span.bytes) == nil)
    }

    @Test("a reason has up to 1,024 bytes, whoever made it longer")
    func reasons() throws {
        let foxes = String(repeating: "🦊", count: 1000)
        let letter = DeadLetterSummary(
            id: ClientExamples.effect, kind: PayloadKind(type: "T"), size: 0, pool: nil, failures: 1, reason: foxes,
            deadLettered: ClientExamples.time)
        #expect(letter.reason == String(foxes.prefix(256)))
        #expect(ClientRefusal(.malformed, String(repeating: "x", count: 2000)).reason.utf8.count == 1024)
    }

    @Test("a payload in an answer has the bytes that it has in the coordinator")
    func payloads() throws {
        let json = PayloadKind(type: "T")
        for (kind, text) in [
            (json, #"{"a":1}"#), (json, " [1 , 2]"), (json, "null"), (json, "{\"a\":1,}"), (json, "01"), (json, ""),
            (json, "\u{FEFF}1"), (json, "\"\u{1}\""), (json, #""\ud800""#), (json, #"{"a":1} {"b":2}"#),
            (PayloadKind(type: "T", contentType: PayloadKind.fastContentType), "{}"),
            (json, String(repeating: "[", count: 505) + String(repeating: "]", count: 505)),
        ] {
            let model = Payload(kind: kind, bytes: Array(text.utf8))
            let answer = NumberedAnswer(epoch: 1, number: 1, answer: .checked(model))
            guard case .answer(let read) = try ClientMessage(decoding: ClientMessage.answer(answer).encoded),
                case .checked(let same) = read.answer
            else { Issue.record("nothing is read"); continue }
            #expect(same.kind == kind)
            // Spaces around a value are not the value's.
            #expect(String(decoding: same.bytes, as: UTF8.self) == (text.hasPrefix(" ") ? "[1 , 2]" : text))
        }
    }

    @Test("a large model comes back as it was, too")
    func largeModel() throws {
        let summary = ModelSummary(
            loop: .main, version: ModelVersion(journal: Examples.journal, sequence: 1), build: "b")
        let text = #"{"a":[\#([String](repeating: "1.5", count: 30_000).joined(separator: ", "))]}"#
        let model = Payload(kind: PayloadKind(type: "T"), bytes: Array(text.utf8))
        let sent = ClientMessage.answer(
            NumberedAnswer(epoch: 1, number: 1, answer: .model(summary, model: model)))
        #expect(try ClientMessage(decoding: sent.encoded) == sent)
    }

    private func frame(_ command: ClientCommand, _ json: String) -> [UInt8] {
        Array(ClientExamples.command(command).encoded.prefix(Head.length)) + Array(json.utf8)
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

extension ClientCommand {
    /// Whether its frame is tagged fields; the others are JSON.
    fileprivate var isBinary: Bool { [.send, .checkEvent, .done].contains(self) }
}
