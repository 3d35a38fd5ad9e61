import MobiusWire
import Testing

@Suite("The specification's examples")
struct GoldenTests {
    @Test("every command has one", arguments: Command.allCases)
    func complete(command: Command) throws {
        #expect(try ProtocolDocument().examples()["\(command)".uppercased()] != nil)
        #expect(Examples.all.filter { $0.command == command }.count == 1)
    }

    @Test("a message is exactly the bytes of its example", arguments: Examples.all)
    func encodes(example: AnyMessage) throws {
        #expect(try ProtocolDocument().examples()["\(example)".uppercased()] == example.encoded)
    }

    @Test("the bytes of an example are exactly its message", arguments: Examples.all)
    func decodes(example: AnyMessage) throws {
        let bytes = try #require(try ProtocolDocument().examples()["\(example)".uppercased()])
        #expect(try AnyMessage(decoding: bytes) == example)
    }

    @Test("encoding appends and leaves what was there")
    func appends() {
        var bytes: [UInt8] = [1, 2, 3]
        Envelope<WorkerMessage>(epoch: 3, session: 7, message: .bye).encode(into: &bytes)
        Envelope<CoordinatorMessage>(epoch: 3, session: 7, message: .drain(.wait)).encode(into: &bytes)
        #expect(bytes == [1, 2, 3] + Examples.command(.bye).encoded + Examples.command(.drain).encoded)
    }
}
