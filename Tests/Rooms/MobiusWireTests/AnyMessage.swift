import MobiusWire

/// A message of either side, so that tests can treat all commands alike.
enum AnyMessage: Hashable, Sendable, CustomStringConvertible {
    case worker(Envelope<WorkerMessage>)
    case coordinator(Envelope<CoordinatorMessage>)

    /// Decodes as the side to which the fourth byte belongs, so that every byte string has one side.
    init(decoding bytes: [UInt8]) throws(WireError) {
        if bytes.count > 3, bytes[3] >= Command.welcome.rawValue {
            self = .coordinator(try Envelope(decoding: bytes.span.bytes))
        } else {
            self = .worker(try Envelope(decoding: bytes.span.bytes))
        }
    }

    var encoded: [UInt8] {
        var bytes: [UInt8] = []
        switch self {
        case .worker(let envelope): envelope.encode(into: &bytes)
        case .coordinator(let envelope): envelope.encode(into: &bytes)
        }
        return bytes
    }

    var command: Command {
        switch self {
        case .worker(let envelope): envelope.message.command
        case .coordinator(let envelope): envelope.message.command
        }
    }

    var description: String { "\(command)" }
}

/// The error that decoding `bytes` throws; `nil` when they are a message.
func error(of bytes: [UInt8]) -> WireError? {
    do {
        _ = try AnyMessage(decoding: bytes)
        return nil
    } catch {
        return error
    }
}
