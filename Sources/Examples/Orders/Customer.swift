public import MobiusCore

/// What a customer has ordered: the program of a loop such as `customer/Ada`, and its model.
public struct Customer: InPlaceLoopProgram, Codable, Equatable {
    /// An order of the customer.
    public struct Entry: Codable, Sendable, Equatable {
        /// The order's number, as in the name of its loop.
        public var number: String
        /// How it ended; `nil` before its end.
        public var outcome: Outcome?

        /// Makes an entry.
        public init(_ number: String, _ outcome: Outcome? = nil) {
            self.number = number
            self.outcome = outcome
        }
    }

    /// The newest 100 orders, the newest last.
    public var orders: [Entry]

    /// A customer with these orders; without arguments, none.
    public init(orders: [Entry] = []) {
        self.orders = orders
    }

    /// Everything that can happen; both name the order.
    public enum Event: Codable, Sendable, Equatable {
        /// An order has begun.
        case began(String)
        /// An order has come to its end.
        case ended(String, Outcome)
    }

    /// A new customer has ordered nothing.
    public static func initiate() -> First<Customer, Never> { First(model: Customer()) }

    // example: update
    /// Takes note of an order.
    public static func update(_ customer: inout Customer, _ event: Event) -> Change<Never> {
        switch event {
        case .began(let number): customer.note(Entry(number))
        case .ended(let number, let outcome): customer.note(Entry(number, outcome))
        }
        return .next()
    }

    private mutating func note(_ entry: Entry) {
        if let index = orders.lastIndex(where: { $0.number == entry.number }) {
            orders[index].outcome = entry.outcome ?? orders[index].outcome
        } else {
            orders = orders.suffix(99) + [entry]
        }
    }
    // end
}
