import MobiusCodec
import Testing

/// The conformances that the macro writes are those that one would write by hand.
@Suite("@FastPayload")
struct MacroTests {
    private func bytes<Value: FastPayload>(_ value: Value) throws -> [UInt8] {
        var scratch = CodingScratch()
        var buffer: [UInt8] = []
        try FastCodec(Value.self).encode(value, into: &buffer, scratch: &scratch)
        return buffer
    }

    private func value<Value: FastPayload>(_ bytes: [UInt8], as type: Value.Type = Value.self) throws -> Value {
        var scratch = CodingScratch()
        return try FastCodec(Value.self).decode(bytes.span.bytes, scratch: &scratch)
    }

    private func json(_ value: some FastPayload) throws -> String {
        let bytes = try bytes(value)
        return try FastText.json(of: bytes.span.bytes)
    }

    @Test("writes properties under their numbers, in ascending order")
    func numbers() throws {
        #expect(
            try json(Page(note: "n", address: "/a")) == #"{"1":"/a","3":"n","4":3,"6":7,"7":0,"20":"calm"}"#)
        #expect(try json(Step.stopped) == #"{"case":1}"#)
        #expect(try json(Step.fetched("x")) == #"{"case":2,"1":"x","2":1.0}"#)
        #expect(try json(Step.both(a: .stopped, 4)) == #"{"case":5,"2":4,"4":{"case":1}}"#)
        #expect(try json(Box(content: Mood.angry)) == #"{"1":"angry"}"#)
        #expect(try json(Empty()) == "{}")
    }

    @Test("reads back what it wrote")
    func roundTrip() throws {
        var page = Page(note: nil, address: "/", retries: 9, mood: .angry, given: nil)
        #expect(try value(bytes(page)) == page)
        page.note = ""
        #expect(try value(bytes(page)) == page)
        let step = Step.both(a: .default(in: ["k": .fetched("y", after: 2)]), nil)
        #expect(try value(bytes(step)) == step)
        #expect(try value(bytes(Box(content: [1, 2]))) == Box(content: [1, 2]))
        #expect(try value(bytes(Empty())) == Empty())
    }

    @Test("makes do with what an older build wrote")
    func older() throws {
        let page: Page = try value([7, 0x15, 1, 0x2f, 0])
        #expect(page == Page(note: nil, address: "/", retries: 3, mood: .calm, given: nil))
        #expect(try value([7, 1, 2, 0x15, 0, 0]) == Step.fetched("", after: 1))
        #expect(throws: CodingFailure.self) { try value([7, 0], as: Page.self) }
        #expect(throws: CodingFailure.self) { try value([7, 1, 9, 0], as: Step.self) }
    }
}
