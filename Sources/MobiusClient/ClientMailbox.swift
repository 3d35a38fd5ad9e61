import MobiusWire
import Synchronization
import ZeroMQ

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
    let reply: ClientReply
}

/// Who waits for the outcome of a request.
enum ClientReply: Sendable {
    case caller(CheckedContinuation<ClientMachine.Outcome, Never>)
    /// One of many events that are sent at once, with the number of its line.
    case bulk(BulkSend, line: UInt64, loop: LoopID)

    func resume(returning outcome: ClientMachine.Outcome) {
        switch self {
        case .caller(let continuation): continuation.resume(returning: outcome)
        case .bulk(let bulk, let line, let loop): bulk.take(outcome, for: line, loop)
        }
    }
}

/// Passes inputs to the socket thread until that ends; afterwards every call ends at once.
final class ClientMailbox: Sendable {
    private struct State {
        var inputs: [ClientInput] = []
        var isClosed = false
        var lastNumber: UInt64 = 0
    }

    let wakeUp = WakeUp()
    private let state = Mutex(State())

    /// A number that no other request of this client has.
    func nextNumber() -> UInt64 {
        state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
    }

    func post(_ input: ClientInput) {
        let isClosed = state.withLock { state in
            if !state.isClosed { state.inputs.append(input) }
            return state.isClosed
        }
        if isClosed, case .ask(let call) = input { call.reply.resume(returning: .closed) }
        wakeUp.signal()
    }

    /// Posts many calls at once, numbered in their order.
    func post(_ count: Int, _ call: (Int, UInt64) -> ClientCall) {
        let calls = state.withLock { state in
            let calls = (0..<count).map { call($0, state.lastNumber + 1 + UInt64($0)) }
            state.lastNumber += UInt64(count)
            if !state.isClosed { state.inputs += calls.map(ClientInput.ask) }
            return state.isClosed ? calls : []
        }
        for call in calls { call.reply.resume(returning: .closed) }
        wakeUp.signal()
    }

    func take() -> [ClientInput] {
        state.withLock { state in
            defer { state.inputs = [] }
            return state.inputs
        }
    }

    /// Accepts no more inputs.
    func close() {
        let rest = state.withLock { state in
            state.isClosed = true
            defer { state.inputs = [] }
            return state.inputs
        }
        for case .ask(let call) in rest { call.reply.resume(returning: .closed) }
    }
}
