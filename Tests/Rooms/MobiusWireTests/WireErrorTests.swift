import MobiusWire
import Testing

@Suite("Errors of the wire")
struct WireErrorTests {
    @Test("other bytes are not ours")
    func notOurs() {
        #expect(
            error(of: Array("GET / HTTP/1.1\r\n\r\n".utf8)) == WireError(.notOurs, "the first two bytes are not MF"))
    }

    @Test("another version is named beside this side's")
    func unsupportedVersion() {
        #expect(
            error(of: changed(.pulse, at: 2, to: [2]))
                == WireError(.unsupportedVersion, "version 2; this side speaks 1"))
    }

    @Test("a command that nobody knows")
    func unknownCommand() {
        #expect(error(of: changed(.bye, at: 3, to: [9])) == WireError(.unknownCommand, "command 9"))
        #expect(error(of: changed(.pulse, at: 3, to: [255])) == WireError(.unknownCommand, "command 255"))
    }

    @Test("neither side may say the other's commands", arguments: Examples.all)
    func wrongSide(example: AnyMessage) {
        let bytes = example.encoded
        #expect {
            switch example {
            case .worker: _ = try Envelope<CoordinatorMessage>(decoding: bytes.span.bytes)
            case .coordinator: _ = try Envelope<WorkerMessage>(decoding: bytes.span.bytes)
            }
        } throws: { error in
            (error as? WireError)?.code == .unknownCommand
        }
    }

    @Test("the field in which the bytes end is named")
    func truncated() {
        #expect(error(of: []) == WireError(.truncated, "signature"))
        #expect(error(of: Array(Examples.command(.bye).encoded.dropLast())) == WireError(.truncated, "session"))
        #expect(error(of: Array(Examples.command(.effect).encoded.dropLast())) == WireError(.truncated, "effect"))
    }

    @Test("bytes behind the message are counted")
    func trailingBytes() {
        #expect(
            error(of: Examples.command(.ack).encoded + [1, 2, 3]) == WireError(.trailingBytes, "3 after message"))
    }

    @Test("a known field is exactly its value")
    func longField() {
        let field: [UInt8] = [7, 9, 0, 0, 0] + [UInt8](repeating: 0, count: 9)
        let bytes: [UInt8] = Examples.command(.hello).encoded.dropLast() + field
        #expect(error(of: bytes) == WireError(.trailingBytes, "1 after field"))
    }

    @Test("a field must hold what its grammar allows")
    func invalidField() {
        // Offsets count from the head's end; an attempt has 29 bytes: a name of 1 + 4, then 8, 4, 8 and 4.
        let attempt = 20 + 4
        #expect(error(of: changed(.cancel, at: attempt, to: [0])) == invalid("loop must have 1 to 128 bytes"))
        #expect(error(of: changed(.cancel, at: attempt + 1, to: [0xFF])) == invalid("loop is not UTF-8"))
        #expect(error(of: changed(.ack, at: attempt + 29, to: [0])) == invalid("reports count from 1"))
        #expect(error(of: changed(.drain, at: 20, to: [2])) == invalid("drain 2"))
        #expect(error(of: changed(.reject, at: 22, to: [0xC0])) == invalid("reason is not UTF-8"))
        #expect(error(of: changed(.fail, at: 20 + 12 + 33, to: [2])) == invalid("retryable is neither 0 nor 1"))
        let flags = Examples.command(.event).encoded.count - (1 + 1 + 4 + 17)
        #expect(error(of: changed(.event, at: flags, to: [0])) == invalid("flags 0 of an event"))
        #expect(error(of: changed(.event, at: flags, to: [4])) == invalid("flags 4 of an event"))
        #expect(error(of: changed(.event, at: flags + 1, to: [1])) == invalid("kind 1 of 1"))
        #expect(error(of: changed(.welcome, at: 20 + 27 + 5, to: [0, 0, 0, 0])) == invalid("heartbeat must not be 0"))
        #expect(error(of: changed(.welcome, at: 20 + 36 + 5, to: [0, 0, 0, 0])) == invalid("silence must not be 0"))
    }

    @Test("required fields of HELLO and WELCOME are missed by name")
    func missingField() {
        let hello = [(UInt8(1), "versions"), (2, "incarnation"), (4, "pool")]
        for (tag, name) in hello {
            #expect(error(of: renamed(tag, in: .hello)) == WireError(.missingField, name))
        }
        let welcome = [
            (UInt8(1), "version"), (2, "journal"), (3, "heartbeat"), (4, "silence"), (5, "maximum payload"),
        ]
        for (tag, name) in welcome {
            #expect(error(of: renamed(tag, in: .welcome)) == WireError(.missingField, name))
        }
    }

    @Test("an error prints its code and place")
    func description() {
        #expect("\(WireError(.truncated, "effect"))" == "truncated: effect")
    }

    private func invalid(_ detail: String) -> WireError {
        WireError(.invalidField, detail)
    }

    private func changed(_ command: Command, at offset: Int, to new: [UInt8]) -> [UInt8] {
        var bytes = Examples.command(command).encoded
        bytes.replaceSubrange(offset..<offset + new.count, with: new)
        return bytes
    }

    private func renamed(_ tag: UInt8, in command: Command) -> [UInt8] {
        TaggedFields(Examples.command(command).encoded).map { $0 == tag ? 200 : $0 }
    }
}
