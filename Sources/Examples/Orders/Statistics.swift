public import MobiusCore

/// The end of an order, for the statistics and the customer.
public enum Outcome: Codable, Sendable, Equatable {
    /// It was delivered: on which day, such as `2027-01-15`, and for how many cents.
    case sold(day: String, amount: Int)
    /// It was not.
    case notSold
}

/// The counts of all finished orders: the program of the loop `statistics`, and its model.
public struct Statistics: InPlaceLoopProgram, Codable, Equatable {
    /// The orders delivered.
    public var sold: Int
    /// The orders that ended otherwise.
    public var notSold: Int
    /// The cents that were paid for parcels that left on each day.
    public var revenue: [String: Int]

    /// Counts; without arguments, nothing.
    public init(sold: Int = 0, notSold: Int = 0, revenue: [String: Int] = [:]) {
        self.sold = sold
        self.notSold = notSold
        self.revenue = revenue
    }

    /// Everything that can happen.
    public enum Event: Codable, Sendable, Equatable {
        /// An order has come to its end.
        case finished(Outcome)
    }

    /// Nothing is counted yet.
    public static func initiate() -> First<Statistics, Never> { First(model: Statistics()) }

    /// Counts one more order.
    public static func update(_ sum: inout Statistics, _ event: Event) -> Change<Never> {
        switch event {
        case .finished(.sold(let day, let amount)):
            sum.sold += 1
            // Anyone may send events to this loop: an absurd amount must not stop it.
            sum.revenue[day, default: 0] = sum.revenue[day, default: 0].addingReportingOverflow(amount).partialValue
        case .finished(.notSold):
            sum.notSold += 1
        }
        return .next()
    }
}
