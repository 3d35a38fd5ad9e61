import FleetTestSupport
import MobiusClient
import MobiusTransport
import MobiusWire
import TestTraits
import Testing

@Suite("A client at the wrong socket", .patient)
struct WrongSocketTests {
    @Test("that of workers: the sentence says which is the right one")
    func workers() async throws {
        // As a coordinator answers whatever is no message of a worker.
        var reject: [UInt8] = []
        Envelope<CoordinatorMessage>(epoch: 3, session: 0, message: .reject("unknownCommand")).encode(into: &reject)
        let server = try await AnsweringSocket(.router) { [reject] _ in reject }
        let error = await #expect(throws: FleetClientError.self) {
            try await FleetClient(connect: server.endpoint).status()
        }
        #expect(error?.code == .protocol)
        #expect(error?.message.contains("the one for clients is by default the next port") == true)
    }

    @Test("bytes that make no sense, and answers to another question")
    func nonsense() async throws {
        let noisy = try await AnsweringSocket(.router) { _ in [1, 2, 3] }
        await #expect(throws: FleetClientError.Code.protocol) {
            try await coded { try await FleetClient(connect: noisy.endpoint).status() }
        }
        let confused = try await AnsweringSocket(.router) { question in
            var answer: [UInt8] = []
            let number = question.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: 12, as: UInt64.self) }
            NumberedAnswer(epoch: 1, number: number, answer: .done(repeated: false)).encode(into: &answer)
            return answer
        }
        let error = await #expect(throws: FleetClientError.self) {
            try await FleetClient(connect: confused.endpoint).status()
        }
        #expect(error?.message.hasSuffix(" answered DONE to something else.") == true)
    }

    @Test("a later version that refuses everything")
    func laterVersion() async throws {
        let later = try await AnsweringSocket(.router) { _ in
            var answer: [UInt8] = []
            let refusal = ClientRefusal(.malformed, "version 1; this side speaks 2")
            NumberedAnswer(epoch: 1, number: 0, answer: .refused(refusal)).encode(into: &answer)
            return answer
        }
        let error = await #expect(throws: FleetClientError.self) {
            try await FleetClient(connect: later.endpoint).status()
        }
        #expect(error?.code == .protocol)
        #expect(error?.message.contains("this side speaks 2") == true)
    }

    @Test("no ZeroMQ at all: nobody answered")
    func web() async throws {
        let web = try await AnsweringSocket(.stream) { _ in Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8) }
        let client = FleetClient(connect: web.endpoint, timeout: .milliseconds(300))
        await #expect(throws: FleetClientError.Code.unreachable) { try await coded { try await client.status() } }
    }

    @Test("ZeroMQ with keys that this client has not", .enabled(if: ZeroMQLibrary.hasCurve, "libzmq has no CURVE"))
    func keys() async throws {
        let locked = try await AnsweringSocket(.router, keys: .generate()) { _ in [] }
        let client = FleetClient(connect: locked.endpoint, timeout: .seconds(2))
        let error = await #expect(throws: FleetClientError.self) { try await client.status() }
        // Which of them depends on who closes the connection first: libzmq tells the reason to one side only.
        #expect([.forbidden, .unreachable].contains(error?.code))
    }
}

/// Answers every message of one peer after the other with what a closure makes of it.
private final class AnsweringSocket: Sendable {
    let endpoint: String
    private let thread: SocketThread
    private let end = WakeUp()

    init(
        _ type: SocketType, keys: CurveKeyPair? = nil, _ answer: @escaping @Sendable ([UInt8]) -> [UInt8]
    ) async throws {
        let (thread, end) = (SocketThread(name: "server"), end)
        self.thread = thread
        let bound = Journey<String>()
        thread.start {
            do {
                let socket = try Context().socket(type)
                if let keys { try socket.useCurve(asServerWith: keys) }
                try socket.bind("tcp://127.0.0.1:*")
                bound.add(try socket.lastEndpoint)
                var poller = Poller()
                _ = poller.add(socket)
                let ending = poller.add(end)
                while try poller.wait(timeout: nil) > 0, !poller.isReadable(ending) {
                    var peer = Message()
                    var message = Message()
                    while try socket.receive(into: &peer), try socket.receive(into: &message) {
                        // A STREAM socket tells of a new connection with an empty message.
                        guard message.count > 0 else { continue }
                        _ = try socket.send(peer.array, more: true)
                        _ = try socket.send(answer(message.array))
                    }
                }
            } catch {
                Issue.record(error)
            }
        }
        try await bound.wait { !$0.isEmpty }
        endpoint = bound.elements[0]
    }

    deinit {
        end.signal()
    }
}
