import MobiusEngine
import MobiusWire

// Messages without the numbers that only dialogues about lost orders look at.

extension CoordinatorMessage {
    /// Orders that a stage of workers numbers: they follow the others of the session.
    static func effects(_ orders: [EffectOrder]) -> CoordinatorMessage { .effects(after: .max, orders) }
}

extension WorkerMessage {
    /// A list of a worker that has heard of no order.
    static func heartbeat(creditTotal: UInt64, held: [HeldAttempt]) -> WorkerMessage {
        .heartbeat(creditTotal: creditTotal, orders: OrderCount(), held: held)
    }
}

/// Counts the orders that a worker's stage sends, and keeps what the worker says of them.
struct OrderCounter {
    /// How many orders were sent in this session.
    var sent: UInt64 = 0
    /// What the newest heartbeat said of them.
    private(set) var told = OrderCount()
    /// The number of the newest HELLO.
    private(set) var hello: UInt32 = 0

    mutating func number(_ input: WorkerInput) -> WorkerInput {
        guard case .received(var envelope) = input else { return input }
        switch envelope.message {
        case .welcome: sent = 0
        case .effects(.max, let orders):
            envelope.message = .effects(after: sent, orders)
            sent += UInt64(orders.count)
        case .effects(let before, let orders): sent = before &+ UInt64(orders.count)
        default: break
        }
        return .received(envelope)
    }

    mutating func strip(_ actions: [WorkerAction]) -> [WorkerAction] {
        actions.map { action in
            guard case .send(var envelope) = action else { return action }
            switch envelope.message {
            case .heartbeat(let credit, let orders, let held):
                told = orders
                envelope.message = .heartbeat(creditTotal: credit, held: held)
            case .hello(var message):
                hello = message.number
                message.number = 0
                envelope.message = .hello(message)
            default: break
            }
            return .send(envelope)
        }
    }
}
