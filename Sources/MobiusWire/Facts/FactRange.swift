/// The keys from one on, up to another one that is not in it; in the order of bytes.
public struct FactRange: Hashable, Sendable {
    /// All keys.
    public static let all = FactRange(lower: [], upper: nil)

    /// The first key of the range.
    public let lower: [UInt8]
    /// The first key behind the range; `nil` if it has no end.
    public let upper: [UInt8]?

    /// Makes a range.
    public init(lower: [UInt8], upper: [UInt8]?) {
        self.lower = lower
        self.upper = upper
    }

    /// The range of one key.
    package init(only key: [UInt8]) {
        self.init(lower: key, upper: Self.next(key))
    }

    /// The range of all keys that begin with `prefix`, which is no key of bytes 255 only.
    init(prefix: [UInt8]) {
        let upper = Array(prefix.prefix(through: prefix.lastIndex { $0 < .max } ?? prefix.endIndex - 1))
        self.init(lower: prefix, upper: upper.dropLast() + [upper[upper.count - 1] + 1])
    }

    /// The key of a range that has one only.
    package var onlyKey: [UInt8]? { upper == Self.next(lower) ? lower : nil }

    /// Whether there is no key in it.
    package var isEmpty: Bool { upper.map { !lower.lexicographicallyPrecedes($0) } ?? false }

    /// Whether `key` is in it.
    public func contains(_ key: [UInt8]) -> Bool {
        !key.lexicographicallyPrecedes(lower) && upper.map { key.lexicographicallyPrecedes($0) } ?? true
    }

    /// The keys that are in both.
    package func intersection(_ other: FactRange) -> FactRange {
        let uppers = [upper, other.upper].compactMap(\.self)
        return FactRange(
            lower: lower.lexicographicallyPrecedes(other.lower) ? other.lower : lower,
            upper: uppers.min { $0.lexicographicallyPrecedes($1) })
    }

    /// The smallest key after `key`.
    static func next(_ key: [UInt8]) -> [UInt8] { key + [0] }

    /// The smallest range that has all keys of these.
    static func hull(_ ranges: [FactRange]) -> FactRange {
        let uppers = ranges.compactMap(\.upper)
        return FactRange(
            lower: ranges.map(\.lower).min { $0.lexicographicallyPrecedes($1) } ?? [],
            upper: uppers.count == ranges.count ? uppers.max { $0.lexicographicallyPrecedes($1) } : nil)
    }
}
