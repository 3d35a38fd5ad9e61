/// The number of workers of a pool, as in the topology and in `--scale`.
package enum Replicas: Hashable, Sendable, ExpressibleByIntegerLiteral {
    /// A fixed number.
    case fixed(Int)
    /// Between these numbers, depending on the work.
    case auto(ClosedRange<Int>)

    /// The maximum number of workers.
    package static let maximum = 1000

    /// The accepted texts, for error messages.
    package static let expectation = "a whole number from 0 to \(maximum), or auto(1...8)"

    /// A fixed number; for tests.
    package init(integerLiteral value: Int) {
        self = .fixed(value)
    }

    /// Parses `3` and `auto(1...8)`; nil for any other text.
    package init?(_ text: String) {
        if let number = Int(text), (0...Self.maximum).contains(number), text.allSatisfy(\.isNumber) {
            self = .fixed(number)
            return
        }
        guard text.hasPrefix("auto("), text.hasSuffix(")") else { return nil }
        let ends = text.dropFirst("auto(".count).dropLast().split(separator: "...", omittingEmptySubsequences: false)
        guard ends.count == 2, let least = Int(ends[0]), let most = Int(ends[1]), least >= 0, least <= most, most >= 1,
            most <= Self.maximum
        else { return nil }
        self = .auto(least...most)
    }

    /// The number at the start of the fleet.
    package var first: Int {
        switch self {
        case .fixed(let count): count
        case .auto(let range): range.lowerBound
        }
    }
}
