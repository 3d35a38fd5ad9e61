/// The end of an order, for the statistics.
public enum Outcome: Codable, Sendable, Equatable {
    /// It was delivered: on which day, such as `2027-01-15`, and for how many cents.
    case sold(day: String, amount: Int)
    /// It was not.
    case notSold
}

/// The counts of all finished orders: the model of the loop `statistics`.
public struct Statistics: Codable, Sendable, Equatable {
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

    /// Counts one more order.
    func adding(_ outcome: Outcome) -> Statistics {
        var sum = self
        switch outcome {
        case .sold(let day, let amount):
            sum.sold += 1
            // Anyone may send events to this loop: an absurd amount must not stop it.
            sum.revenue[day, default: 0] = sum.revenue[day, default: 0].addingReportingOverflow(amount).partialValue
        case .notSold:
            sum.notSold += 1
        }
        return sum
    }
}
