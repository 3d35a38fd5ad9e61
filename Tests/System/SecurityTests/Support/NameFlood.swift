import FleetTestSupport
import Foundation
import MobiusTransport
import MobiusWire

/// Sends events, each for a loop of a new name, as fast as they are taken.
enum NameFlood {
    /// What the answers were.
    struct Outcome: Sendable {
        var begun = 0
        var refused = 0
        var busy = 0
        var others = 0
    }

    /// Sends so many events over one connection, of which some hundred wait for their answers.
    static func overZeroMQ(
        _ count: Int, at endpoint: String,
        _ request: (Int) -> ClientRequest = { .send(loop: LoopID("z\($0)") ?? .main, key: "k", event: .greeted("x")) }
    ) throws -> Outcome {
        let socket = try Context().socket(.dealer)
        try socket.set(.linger, to: .zero)
        try socket.connect(endpoint)
        var poller = Poller()
        _ = poller.add(socket)
        var message = Message()
        var (outcome, waiting) = (Outcome(), 0)
        for number in 1...count {
            var frame: [UInt8] = []
            NumberedRequest(number: UInt64(number), request: request(number)).encode(into: &frame)
            while try socket.send(frame) != .sent { try poller.wait(timeout: .milliseconds(1)) }
            waiting += 1
            while waiting > (number < count ? 500 : 0) {
                guard try socket.receiveWhole(into: &message) == .message else {
                    guard try poller.wait(timeout: Patience.limit) > 0 else { throw POSIXError(.ETIMEDOUT) }
                    continue
                }
                waiting -= 1
                let answer = try message.withBytes { (bytes) throws(WireError) in try NumberedAnswer(decoding: bytes) }
                switch answer.answer {
                case .done: outcome.begun += 1
                case .refused(let refusal) where refusal.code == .tooManyLoops: outcome.refused += 1
                case .busy: outcome.busy += 1
                default: outcome.others += 1
                }
            }
        }
        return outcome
    }

    /// Sends so many events over HTTP, one after the other on one connection; the names have these numbers.
    static func overHTTP(_ numbers: ClosedRange<Int>, at address: String) throws -> Outcome {
        let connection = try RawConnection(address)
        let event = #"{"greeted":{"_0":"x"}}"#
        var (outcome, text) = (Outcome(), "")
        for number in numbers {
            connection.write(
                "POST /loops/h\(number)/events HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                    + "Content-Length: \(event.utf8.count)\r\n\r\n\(event)")
            text = try response(connection)
            switch text.split(separator: " ").dropFirst().first {
            case "200": outcome.begun += 1
            case "507" where text.contains("too-many-loops"): outcome.refused += 1
            case "503": outcome.busy += 1
            default: outcome.others += 1
            }
        }
        return outcome
    }

    /// A resource.
    static func get(_ path: String, at address: String) throws -> String {
        let connection = try RawConnection(address)
        connection.write("GET \(path) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        return connection.readToEnd()
    }

    /// The next response, whose length is known.
    private static func response(_ connection: RawConnection) throws -> String {
        var text = ""
        while true {
            guard let bytes = connection.readSome() else { throw POSIXError(.ECONNRESET) }
            text += String(decoding: bytes, as: UTF8.self)
            guard let end = text.range(of: "\r\n\r\n"),
                let length = text[..<end.lowerBound].firstMatch(of: /[Cc]ontent-[Ll]ength: (\d+)/).flatMap({ Int($0.1) }
                )
            else { continue }
            if text[end.upperBound...].utf8.count >= length { return text }
        }
    }
}

extension Payload {
    /// An event of the greeter that asks for nothing.
    static func greeted(_ guest: String) -> Payload {
        Payload(kind: PayloadKind(type: ""), bytes: Array("{\"greeted\":{\"_0\":\"\(guest)\"}}".utf8))
    }

    /// An event of the greeter that lets its model grow with the number of guests only.
    static func greetingFailed(_ guest: String) -> Payload {
        let text = "{\"greetingFailed\":{\"_0\":\"\(guest)\",\"_1\":\"away\"}}"
        return Payload(kind: PayloadKind(type: ""), bytes: Array(text.utf8))
    }
}
