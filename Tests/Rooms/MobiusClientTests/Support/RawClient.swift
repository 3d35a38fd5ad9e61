import FleetTestSupport
import MobiusTransport
import MobiusWire

/// A DEALER in the hands of a test, on the test's own thread: says whatever bytes, reads when it is told to.
struct RawClient: ~Copyable {
    private let socket: Socket
    private var message = Message()

    init(_ context: Context, to endpoint: String, receives: Int = 1000) throws {
        let socket = try context.socket(.dealer)
        try socket.set(.receiveHighWaterMark, to: receives)
        try socket.set(.linger, to: .seconds(10))  // what was said arrives, also when the test is done with it
        try socket.connect(endpoint)
        self.socket = socket
    }

    func say(_ bytes: [UInt8]) throws {
        var poller = Poller()
        let item = poller.add(socket, for: .writable)
        while try socket.send(bytes) != .sent { try poller.wait(timeout: Patience.limit) }
        _ = poller.isWritable(item)
    }

    func say(frames: [[UInt8]]) throws {
        for (position, frame) in frames.enumerated() {
            _ = try socket.send(frame, more: position < frames.count - 1)
        }
    }

    func ask(_ number: UInt64, _ request: ClientRequest) throws {
        var bytes: [UInt8] = []
        NumberedRequest(number: number, request: request).encode(into: &bytes)
        try say(bytes)
    }

    /// The next frame; `nil` when none comes in time.
    mutating func hear(within limit: Duration = Patience.limit) throws -> [UInt8]? {
        var poller = Poller()
        _ = poller.add(socket)
        guard try poller.wait(timeout: limit) > 0, try socket.receiveWhole(into: &message) == .message else {
            return nil
        }
        return message.array
    }

    mutating func answer() throws -> NumberedAnswer? {
        try hear().map { try NumberedAnswer(decoding: $0.span.bytes) }
    }
}

/// Runs what uses and waits for sockets on a thread of its own, so that it holds up none of those that tests share.
func inOneGo(_ body: @escaping @Sendable () throws -> Void) async throws {
    try await withCheckedThrowingContinuation { continuation in
        SocketThread(name: "bench").start { continuation.resume(with: Result(catching: body)) }
    }
}
