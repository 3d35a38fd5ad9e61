import Foundation

/// What a row must reach, and whether it did.
struct Target: Codable {
    /// In words, such as `ratio >= 0.7`.
    let words: String
    let isMet: Bool

    /// As the table shows it.
    var text: String { "\(words): \(isMet ? "met" : "MISSED")" }
}

/// A goal for the rows of a benchmark.
enum Goal {
    /// Ours divided by the floor, at least.
    case ratioAtLeast(Double)
    /// Ours divided by the floor, at most.
    case ratioAtMost(Double)
    /// Ours, at least.
    case atLeast(Double)
    /// Ours, at most.
    case atMost(Double)

    /// Holds a row's figures against it.
    func target(value: Double, ratio: Double?) -> Target {
        switch self {
        case .ratioAtLeast(let least):
            Target(words: "ratio >= \(least.formatted())", isMet: ratio.map { $0 >= least } ?? false)
        case .ratioAtMost(let most):
            Target(words: "ratio <= \(most.formatted())", isMet: ratio.map { $0 <= most } ?? false)
        case .atLeast(let least): Target(words: ">= \(least.formatted())", isMet: value >= least)
        case .atMost(let most): Target(words: "<= \(most.formatted())", isMet: value <= most)
        }
    }
}
