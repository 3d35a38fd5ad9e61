import MobiusTransport
import MobiusWire
import Synchronization

/// An input from any thread for a client's socket thread.
enum ClientInput: Sendable {
    case ask(ClientCall)
    case cancel(UInt64)
    case close
}

/// One request and its waiting caller.
struct ClientCall: Sendable {
    let request: NumberedRequest
    let deadline: ContinuousClock.Instant
    /// Whether it is meant for one shard although it names no loop.
    var isRouted = false
    let reply: ClientReply
}

/// The recipient of the outcome of a request.
enum ClientReply: Sendable {
    case caller(CheckedContinuation<ClientMachine.Outcome, Never>)
    /// One of many events that are sent at once, with the number of its line.
    case bulk(BulkSend, line: UInt64, loop: LoopID)

    func resume(returning outcome: ClientMachine.Outcome) {
        switch self {
        case .caller(let continuation): continuation.resume(returning: outcome)
        case .bulk(let bulk, let line, let loop): bulk.receive(outcome, for: line, loop)
        }
    }
}

/// Passes inputs to the socket thread until that ends; afterwards every call ends at once.
final class ClientMailbox: Sendable {
    private struct State {
        var inputs: [ClientInput] = []
        var isClosed = false
    }

    let wakeUp = WakeUp()
    private let state = Mutex(State())

    func post(_ inputs: [ClientInput]) {
        let isClosed = state.withLock { state in
            if !state.isClosed { state.inputs += inputs }
            return state.isClosed
        }
        if isClosed { Self.end(inputs) }
        wakeUp.signal()
    }

    func drain() -> [ClientInput] {
        state.withLock { state in
            defer { state.inputs = [] }
            return state.inputs
        }
    }

    /// Accepts no more inputs.
    func close() {
        Self.end(
            state.withLock { state in
                state.isClosed = true
                defer { state.inputs = [] }
                return state.inputs
            })
    }

    private static func end(_ inputs: [ClientInput]) {
        for case .ask(let call) in inputs { call.reply.resume(returning: .closed) }
    }
}
