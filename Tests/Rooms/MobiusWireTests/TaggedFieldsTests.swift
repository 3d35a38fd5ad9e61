import MobiusWire
import Testing

/// HELLO or WELCOME taken apart by the rule of the specification alone.
struct TaggedFields {
    private let head: ArraySlice<UInt8>
    private var fields: [(tag: UInt8, rest: ArraySlice<UInt8>)] = []

    init(_ bytes: [UInt8]) {
        head = bytes.prefix(Head.length)
        var rest = bytes.dropFirst(Head.length)
        while let tag = rest.popFirst(), tag != 0 {
            let length = rest.prefix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
            fields.append((tag, rest.prefix(4 + length)))
            rest = rest.dropFirst(4 + length)
        }
    }

    /// The message with other tags.
    func map(_ change: (UInt8) -> UInt8) -> [UInt8] {
        head + fields.flatMap { [change($0.tag)] + $0.rest } + [0]
    }

    /// The message with its fields from last to first.
    var reversed: [UInt8] {
        head + fields.reversed().flatMap { [$0.tag] + $0.rest } + [0]
    }
}

@Suite("Tagged fields")
struct TaggedFieldsTests {
    static let examples = [Examples.command(.hello), Examples.command(.welcome), Examples.command(.moved)]

    @Test("tags of later versions are skipped", arguments: examples)
    func unknownTags(example: AnyMessage) throws {
        let bytes = example.encoded
        let news: [UInt8] = [200, 3, 0, 0, 0, 1, 2, 3, 255, 0, 0, 0, 0]
        #expect(try AnyMessage(decoding: bytes.dropLast() + news + [0]) == example)
        #expect(try AnyMessage(decoding: Array(bytes[..<Head.length] + news + bytes[Head.length...])) == example)
    }

    @Test("a tag that is skipped must be whole", arguments: examples)
    func cutUnknownTag(example: AnyMessage) {
        #expect(error(of: example.encoded.dropLast() + [200, 3, 0, 0, 0, 1, 2]) == WireError(.truncated, "field"))
        #expect(error(of: example.encoded.dropLast() + [200, 255, 255, 255, 255]) == WireError(.truncated, "field"))
    }

    @Test("fields come in any order", arguments: examples)
    func anyOrder(example: AnyMessage) throws {
        #expect(try AnyMessage(decoding: TaggedFields(example.encoded).reversed) == example)
    }

    @Test("the last of several with one tag counts")
    func lastCounts() throws {
        let message = Hello(
            incarnation: Incarnation(high: 1, low: 2), pools: ["a"], build: "", contentTypes: [], creditTotal: 5)
        let bytes = AnyMessage.worker(Envelope(epoch: 0, session: 0, message: .hello(message))).encoded
        var changed = message
        changed.creditTotal = 6
        #expect(
            try AnyMessage(decoding: bytes.dropLast() + [7, 8, 0, 0, 0, 6, 0, 0, 0, 0, 0, 0, 0, 0])
                == .worker(Envelope(epoch: 0, session: 0, message: .hello(changed))))
    }

    @Test("a HELLO of the required fields alone")
    func leastHello() throws {
        let head: [UInt8] = Array(Examples.command(.hello).encoded[..<Head.length])
        let incarnation = [2, 16, 0, 0, 0] + [UInt8](repeating: 9, count: 16)
        let bytes = head + [1, 1, 0, 0, 0, 1, 4, 2, 0, 0, 0, 1, 0x61] + incarnation + [0]
        let least = Hello(
            versions: [1], incarnation: Incarnation(high: 0x0909_0909_0909_0909, low: 0x0909_0909_0909_0909),
            pools: ["a"], build: "", contentTypes: [], creditTotal: 0)
        #expect(
            try AnyMessage(decoding: bytes) == .worker(Envelope(epoch: 2, session: 0, message: .hello(least))))
    }
}
