/// How many workers a pool has, as the topology and `--scale` say it.
package enum Replicas: Hashable, Sendable, ExpressibleByIntegerLiteral {
    /// So many.
    case fixed(Int)
    /// As many as its work needs, in this range.
    case auto(ClosedRange<Int>)

    /// The most that there may be.
    package static let most = 1000

    /// What people may write.
    package static let expectation = "a whole number from 0 to \(most), or auto(1...8)"

    /// So many; for tests.
    package init(integerLiteral value: Int) {
        self = .fixed(value)
    }

    /// Reads `3` and `auto(1...8)`; nil for anything else.
    package init?(_ text: String) {
        if let number = Int(text), (0...Self.most).contains(number), text.allSatisfy(\.isNumber) {
            self = .fixed(number)
            return
        }
        guard text.hasPrefix("auto("), text.hasSuffix(")") else { return nil }
        let ends = text.dropFirst("auto(".count).dropLast().split(separator: "...", omittingEmptySubsequences: false)
        guard ends.count == 2, let least = Int(ends[0]), let most = Int(ends[1]), least >= 0, least <= most, most >= 1,
            most <= Self.most
        else { return nil }
        self = .auto(least...most)
    }

    /// How many it begins with.
    package var first: Int {
        switch self {
        case .fixed(let count): count
        case .auto(let range): range.lowerBound
        }
    }
}
