import BankFleet
import FleetTestSupport
import Foundation
import MobiusTransport
import MobiusWire

/// A peer that says whatever a test wants: bytes that no worker or coordinator of this build would send.
enum Stranger {
    /// Sends frames to a coordinator, as a worker's socket would, and returns the first answer; `nil` when none comes in time.
    static func say(
        _ frames: [[UInt8]], to endpoint: String, patience: Duration = Patience.limit
    ) async throws -> CoordinatorMessage? {
        try await onThread {
            let socket = try Context().socket(.dealer)
            try socket.set(.linger, to: .seconds(2))
            try socket.connect(endpoint)
            var poller = Poller()
            let item = poller.add(socket)
            for frame in frames { _ = try socket.send(frame) }
            let end = ContinuousClock.now + patience
            while ContinuousClock.now < end {
                try poller.wait(timeout: .milliseconds(100))
                guard poller.isReadable(item) else { continue }
                var message = Message()
                guard try socket.receiveWhole(into: &message) == .message else { continue }
                return try message.withBytes { (bytes) throws(WireError) in
                    try Envelope<CoordinatorMessage>(decoding: bytes).message
                }
            }
            return nil
        }
    }

    /// Listens where a worker expects its coordinator, and answers all it says so, until it is gone.
    ///
    /// Once is not enough: a worker's socket drops what it has not read when its peer goes.
    static func answer(
        _ message: CoordinatorMessage, at endpoint: String, untilGone worker: TestProcess
    ) async throws {
        try await onThread {
            let socket = try Context().socket(.router)
            try socket.set(.linger, to: .seconds(2))
            try socket.bind(endpoint)
            var poller = Poller()
            _ = poller.add(socket)
            var peer = PeerID()
            var heard = Message()
            let end = ContinuousClock.now + Patience.limit
            while ContinuousClock.now < end, !worker.isGone {
                try poller.wait(timeout: .milliseconds(100))
                guard try socket.receive(from: &peer, into: &heard) == .message else { continue }
                var frame: [UInt8] = []
                Envelope(epoch: 1, session: 0, message: message).encode(into: &frame)
                _ = try socket.send(to: peer, frame)
            }
        }
    }

    /// A HELLO that speaks these versions of the protocol.
    static func hello(versions: [UInt8]) -> [UInt8] {
        var random = SystemRandomNumberGenerator()
        let hello = Hello(
            versions: versions, incarnation: .random(using: &random), pools: ["bank"], build: "stranger",
            contentTypes: ["application/json"], creditTotal: 0)
        var frame: [UInt8] = []
        Envelope<WorkerMessage>(epoch: 0, session: 0, message: .hello(hello)).encode(into: &frame)
        return frame
    }

    private static func onThread<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value
    {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread { continuation.resume(with: Result(catching: work)) }
        }
    }
}
