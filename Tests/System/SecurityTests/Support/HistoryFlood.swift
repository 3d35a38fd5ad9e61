import FleetTestSupport
import Foundation
import MobiusTransport
import MobiusWire
import Synchronization

/// Clients that ask for pages of a loop's history, and for its models of the past, again as soon as they are answered.
final class HistoryFlood: Sendable {
    /// What the answers were.
    struct Outcome: Sendable {
        var pages = 0
        var models = 0
        var busy = 0
        var others = 0
    }

    private final class Reader {
        let socket: Socket
        var number: UInt64 = 0

        init(_ context: Context, _ endpoint: String) throws {
            let socket = try context.socket(.dealer)
            try socket.set(.linger, to: .zero)
            try socket.connect(endpoint)
            self.socket = socket
        }

        func ask(_ last: UInt64) throws {
            number += 1
            let sequence = UInt64.random(in: 1...last)
            let request: ClientRequest =
                number.isMultiple(of: 2)
                ? .model(.main, at: sequence) : .history(HistoryRequest(.main, first: sequence))
            var frame: [UInt8] = []
            NumberedRequest(number: number, request: request).encode(into: &frame)
            _ = try socket.send(frame)
        }
    }

    private let isOver = Mutex(false)

    /// Ends it.
    func stop() { isOver.withLock { $0 = true } }

    /// Asks until it is stopped, with so many connections, each with two requests under way.
    func run(_ count: Int, at endpoint: String, last: UInt64) throws -> Outcome {
        let context = Context()
        let readers = try (0..<count).map { _ in try Reader(context, endpoint) }
        var poller = Poller()
        let items = readers.map { poller.add($0.socket) }
        for reader in readers {
            for _ in 1...2 { try reader.ask(last) }
        }
        var message = Message()
        var outcome = Outcome()
        while !isOver.withLock({ $0 }) {
            try poller.wait(timeout: .milliseconds(100))
            for (reader, item) in zip(readers, items) where poller.isReadable(item) {
                while try reader.socket.receiveWhole(into: &message) == .message {
                    let answer = try message.withBytes { (bytes) throws(WireError) in
                        try NumberedAnswer(decoding: bytes)
                    }
                    switch answer.answer {
                    case .history: outcome.pages += 1
                    case .model: outcome.models += 1
                    case .busy: outcome.busy += 1
                    default: outcome.others += 1
                    }
                    try reader.ask(last)
                }
            }
        }
        return outcome
    }
}
