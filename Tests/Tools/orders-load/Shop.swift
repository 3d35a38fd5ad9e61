import Orders

/// The shop as a customer reaches it.
protocol Shop: Sendable {
    /// Sends an event to an order's loop, under this key as often as it takes: it is applied once.
    ///
    /// - Throws: ``LoadError`` when no answer came in time, or one that makes no sense.
    func send(_ event: Order.Event, to loop: String, key: String) async throws -> Reply

    /// Waits until the order is at its end.
    func end(of loop: String) async throws -> Saga
}

/// What a customer is told.
enum Reply: Sendable, Equatable {
    /// The event is on disk, with the program's answer if it gave one.
    case applied(Receipt?)
    /// The program refuses it, and why.
    case refused(String)
}

/// Why the load cannot go on: a sentence for the operator.
struct LoadError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
