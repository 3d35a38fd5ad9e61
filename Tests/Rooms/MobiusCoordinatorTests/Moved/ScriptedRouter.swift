import FleetTestSupport
import MobiusTransport
import MobiusWire
import Synchronization

/// A ROUTER that answers as a test tells it to; it stands for a front door or an owner.
final class ScriptedRouter: Sendable {
    /// Where peers connect.
    let endpoint: String
    private let stopping = WakeUp()
    private let thread = SocketThread(name: "scripted")

    /// Binds any port.
    ///
    /// - Parameter answer: The frames that answer a frame, called on the router's thread.
    init(_ answer: @escaping @Sendable ([UInt8]) -> [[UInt8]]) async throws {
        let stopping = stopping
        let bound = Journey<Result<String, ZeroMQError>>()
        thread.start {
            do throws(ZeroMQError) {
                try Self.serve(answer, until: stopping) { bound.add(.success($0)) }
            } catch {
                bound.add(.failure(error))
            }
        }
        try await bound.wait(for: "a bound port") { !$0.isEmpty }
        endpoint = try bound.elements[0].get()
    }

    private static func serve(
        _ answer: ([UInt8]) -> [[UInt8]], until stopping: WakeUp, bound: (String) -> Void
    ) throws(ZeroMQError) {
        let context = Context()
        defer { context.terminate(patience: .seconds(1)) }
        let socket = try context.socket(.router)
        try socket.set(.linger, to: .milliseconds(200))
        try socket.bind("tcp://127.0.0.1:*")
        bound(try socket.lastEndpoint)
        var poller = Poller()
        let stop = poller.add(stopping)
        _ = poller.add(socket)
        var peer = PeerID()
        var message = Message()
        while true {
            try poller.wait(timeout: nil)
            if poller.isReadable(stop) { return }
            while try socket.receive(from: &peer, into: &message) == .message {
                for frame in answer(message.array) { _ = try socket.send(to: peer, frame) }
            }
        }
    }

    deinit {
        stopping.signal()
    }

    /// Closes the socket and all its connections.
    func stop() async {
        stopping.signal()
        await thread.finished()
    }
}

/// Who owns the loops, as a front door has it.
final class Owner: Sendable {
    private let endpoint = Mutex<String?>(nil)

    /// The owner's endpoint; `nil` while there is none.
    var current: String? {
        get { endpoint.withLock { $0 } }
        set { endpoint.withLock { $0 = newValue } }
    }
}

extension ScriptedRouter {
    /// A front door for workers.
    ///
    /// - Parameter hellos: Gets the number of each HELLO.
    static func workersDoor(to owner: Owner, hellos: Journey<UInt32> = Journey()) async throws -> ScriptedRouter {
        try await ScriptedRouter { frame in
            guard let envelope = try? Envelope<WorkerMessage>(decoding: frame.span.bytes),
                case .hello(let hello) = envelope.message
            else { return [] }
            hellos.add(hello.number)
            return [frame.answer(.moved(Moved(endpoint: owner.current, hello: hello.number)))]
        }
    }

    /// A front door for clients.
    static func clientsDoor(to owner: Owner, asked: Journey<UInt64> = Journey()) async throws -> ScriptedRouter {
        try await ScriptedRouter { frame in
            guard let request = try? NumberedRequest(decoding: frame.span.bytes) else { return [] }
            asked.add(request.number)
            return [request.answer(.moved(endpoint: owner.current))]
        }
    }

    /// A place that accepts connections and never answers.
    static func silent() async throws -> ScriptedRouter {
        try await ScriptedRouter { _ in [] }
    }
}

extension [UInt8] {
    func answer(_ message: CoordinatorMessage, epoch: UInt64 = 0, session: UInt64 = 0) -> [UInt8] {
        var bytes: [UInt8] = []
        Envelope(epoch: epoch, session: session, message: message).encode(into: &bytes)
        return bytes
    }
}

extension NumberedRequest {
    func answer(_ answer: ClientAnswer, epoch: UInt64 = 0) -> [UInt8] {
        var bytes: [UInt8] = []
        NumberedAnswer(epoch: epoch, number: number, answer: answer).encode(into: &bytes)
        return bytes
    }
}
