import MobiusWire

/// A frame of either side of the client protocol, so that tests can treat all commands alike.
enum ClientMessage: Hashable, Sendable, CustomStringConvertible {
    case request(NumberedRequest)
    case answer(NumberedAnswer)

    /// Decodes as the side to which the fourth byte belongs, so that every byte string has one side.
    init(decoding bytes: [UInt8]) throws(WireError) {
        if bytes.count > 3, bytes[3] >= ClientCommand.done.rawValue {
            self = .answer(try NumberedAnswer(decoding: bytes.span.bytes))
        } else {
            self = .request(try NumberedRequest(decoding: bytes.span.bytes))
        }
    }

    var encoded: [UInt8] {
        var bytes: [UInt8] = []
        switch self {
        case .request(let request): request.encode(into: &bytes)
        case .answer(let answer): answer.encode(into: &bytes)
        }
        return bytes
    }

    var command: ClientCommand {
        switch self {
        case .request(let request): request.request.command
        case .answer(let answer): answer.answer.command
        }
    }

    var description: String { "\(command)" }
}

/// The error that decoding `bytes` throws; `nil` when they are a frame of the client protocol.
func clientError(of bytes: [UInt8]) -> WireError? {
    do {
        _ = try ClientMessage(decoding: bytes)
        return nil
    } catch {
        return error
    }
}
