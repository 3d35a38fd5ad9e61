import Foundation
import MobiusWire
import Testing

@Suite("Where MOVED may lead")
struct MovedTests {
    static let possible = [
        "tcp://10.0.0.2:5711", "tcp://localhost:1", "tcp://node-1.fleet_a.example:65535", "tcp://[::1]:5711",
        "tcp://[fe80::1%eth0]:5711", "tcp://[::ffff:10.0.0.2]:5711", "ipc:///run/fleet/owner", "ipc://@fleet",
        "ipc:///run/a,b", "ipc:///run/über uns", "ipc:///" + String(repeating: "x", count: 106),
        "tcp://" + String(repeating: "h", count: 247) + ":1",
    ]

    static let impossible = [
        "", "tcp://", "tcp://:5711", "tcp://10.0.0.2", "tcp://10.0.0.2:", "tcp://10.0.0.2:0", "tcp://10.0.0.2:65536",
        "tcp://10.0.0.2:99999999999999999999", "tcp://10.0.0.2:*", "tcp://10.0.0.2:+1", "tcp://10.0.0.2:0x1",
        "tcp://*:5711", "tcp://0.0.0.0:5711", "tcp://0:5711", "tcp://[::]:5711", "tcp://[0:0::0]:5711", "tcp://[]:5711",
        "tcp://::1:5711", "tcp://[::1:5711", "tcp://10.0.0.1:1;10.0.0.2:5711", "tcp://10.0.0.2:5711,tcp://b:1",
        "tcp://a b:5711", "tcp://a\u{0}:5711", "tcp://a/b:5711", "tcp://ü:5711", "TCP://10.0.0.2:5711",
        "ipc://", "ipc:///", "ipc://*", "ipc://owner", "ipc://@", "ipc:///run/a\u{0}b", "ipc:///run/a\nb",
        "ipc:///" + String(repeating: "x", count: 107), "inproc://owner", "udp://10.0.0.2:1", "10.0.0.2:5711",
        "tcp://" + String(repeating: "h", count: 248) + ":1",
    ]

    @Test("an endpoint that peers can connect to", arguments: possible)
    func accepts(endpoint: String) throws {
        #expect(Moved.isPossible(endpoint: endpoint))
        let worker = AnyMessage.coordinator(
            Envelope(epoch: 0, session: 0, message: .moved(Moved(endpoint: endpoint, hello: 1))))
        #expect(try AnyMessage(decoding: worker.encoded) == worker)
        let client = ClientMessage.answer(NumberedAnswer(epoch: 0, number: 1, answer: .moved(endpoint: endpoint)))
        #expect(try ClientMessage(decoding: client.encoded) == client)
    }

    @Test("any other makes the message invalid", arguments: impossible)
    func refuses(endpoint: String) throws {
        #expect(!Moved.isPossible(endpoint: endpoint))
        let bytes = Array(endpoint.utf8)
        // A longer one does not fit in the field.
        guard bytes.count < 255 else { return }
        let field = [UInt8(bytes.count + 1), 0, 0, 0, UInt8(bytes.count)] + bytes
        let expected = WireError(.invalidField, "endpoint is none that peers can connect to")
        let worker = Array(Examples.command(.moved).encoded.prefix(Head.length))
        let client = Array(ClientExamples.command(.moved).encoded.prefix(Head.length))
        #expect(error(of: worker + [1] + field + [0]) == expected)
        let json = String(decoding: try JSONEncoder().encode(endpoint), as: UTF8.self)
        #expect(clientError(of: client + #"{"endpoint":\#(json)}"#.utf8) == expected)
    }

    @Test("nowhere, while there is no owner")
    func nowhere() throws {
        let head = Array(Examples.command(.moved).encoded.prefix(Head.length))
        #expect(
            try AnyMessage(decoding: head + [0])
                == .coordinator(Envelope(epoch: 0, session: 0, message: .moved(Moved(endpoint: nil)))))
        let client = Array(ClientExamples.command(.moved).encoded.prefix(Head.length))
        #expect(
            try ClientMessage(decoding: client + "{}".utf8)
                == .answer(NumberedAnswer(epoch: 0, number: 19, answer: .moved(endpoint: nil))))
    }

    @Test("an impossible one is never sent")
    func misuse() async {
        await #expect(processExitsWith: .failure) {
            var bytes: [UInt8] = []
            Envelope(epoch: 0, session: 0, message: CoordinatorMessage.moved(Moved(endpoint: "tcp://*:1")))
                .encode(into: &bytes)
        }
        await #expect(processExitsWith: .failure) {
            var bytes: [UInt8] = []
            NumberedAnswer(epoch: 0, number: 1, answer: .moved(endpoint: "tcp://a:0")).encode(into: &bytes)
        }
    }
}
