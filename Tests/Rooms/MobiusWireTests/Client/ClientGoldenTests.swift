import MobiusWire
import Testing

@Suite("The client protocol's examples")
struct ClientGoldenTests {
    @Test("every command has one", arguments: ClientCommand.allCases)
    func complete(command: ClientCommand) throws {
        #expect(try ProtocolDocument("ClientProtocol").examples()["\(command)"] != nil)
        #expect(ClientExamples.all.filter { $0.command == command }.count == 1)
    }

    @Test("a frame is exactly the bytes of its example", arguments: ClientExamples.all)
    func encodes(example: ClientMessage) throws {
        #expect(try ProtocolDocument("ClientProtocol").examples()["\(example)"] == example.encoded)
    }

    @Test("the bytes of an example are exactly its frame", arguments: ClientExamples.all)
    func decodes(example: ClientMessage) throws {
        let bytes = try #require(try ProtocolDocument("ClientProtocol").examples()["\(example)"])
        #expect(try ClientMessage(decoding: bytes) == example)
    }

    @Test("SEND to a loop that must be there is exactly the bytes of its example")
    func existing() throws {
        let bytes = try #require(try ProtocolDocument("ClientProtocol").examples()["SEND, existing"])
        #expect(ClientExamples.existing.encoded == bytes)
        #expect(try ClientMessage(decoding: bytes) == ClientExamples.existing)
    }

    @Test("DONE for a dropped event is exactly the bytes of its example")
    func dropped() throws {
        let bytes = try #require(try ProtocolDocument("ClientProtocol").examples()["DONE, dropped"])
        #expect(ClientExamples.dropped.encoded == bytes)
        #expect(try ClientMessage(decoding: bytes) == ClientExamples.dropped)
    }

    @Test("READ-MODEL of the past is exactly the bytes of its example")
    func past() throws {
        let bytes = try #require(try ProtocolDocument("ClientProtocol").examples()["READ-MODEL, past"])
        #expect(ClientExamples.past.encoded == bytes)
        #expect(try ClientMessage(decoding: bytes) == ClientExamples.past)
    }

    @Test("SEND in a chain is exactly the bytes of its example")
    func chained() throws {
        let bytes = try #require(try ProtocolDocument("ClientProtocol").examples()["SEND, chained"])
        #expect(ClientExamples.chained.encoded == bytes)
        #expect(try ClientMessage(decoding: bytes) == ClientExamples.chained)
    }

    @Test("no command of a client is one of a worker")
    func apart() {
        let workers = Set(Command.allCases.map(\.rawValue))
        #expect(ClientCommand.allCases.allSatisfy { !workers.contains($0.rawValue) })
        for example in ClientExamples.all {
            #expect(error(of: example.encoded)?.code == .unknownCommand)
        }
        for example in Examples.all {
            #expect(clientError(of: example.encoded)?.code == .unknownCommand)
        }
    }
}
