import MobiusWire

// Facts of every sort, often close to each other.
extension SeededGenerator {
    private static let integers: [Int64] = [
        0, 1, 100, 1 << 52, 1 << 53, 1 << 54, 1 << 60, .max, 1 << 62, 9_007_199_254_740_993,
    ]
    private static let doubles: [Double] = [
        0, -0.0, 0.5, 1, 100, .leastNonzeroMagnitude, .leastNormalMagnitude, 0x1p52, 0x1p53, 0x1p54, 0x1p62, 0x1p63,
        0x1p64, 1e300, .greatestFiniteMagnitude,
    ]

    mutating func factValue() -> FactValue {
        switch number(upTo: 9) {
        case 0: return .bool(chance(oneIn: 2))
        case 1, 2: return .text(string(upTo: chance(oneIn: 5) ? 255 : 6))
        case 3: return .time(WallTime(milliseconds: factInteger()))
        case 4, 5, 6: return .integer(factInteger())
        default:
            let double = Self.doubles[number(upTo: Self.doubles.count - 1)]
            let near = [double, double.nextUp, double.nextDown, double + 0.5, Double(factInteger())][number(upTo: 4)]
            return .number(near.isFinite ? chance(oneIn: 2) ? near : -near : double)
        }
    }

    mutating func factInteger() -> Int64 {
        let integer = Self.integers[number(upTo: Self.integers.count - 1)]
        let near = integer.saturatingAdding(Int64(number(upTo: 6)) - 3)
        return chance(oneIn: 2) ? near : -near
    }
}

extension FactValue {
    /// The place of its sort among the others.
    var sort: Int {
        switch self {
        case .bool: 0
        case .integer, .number: 1
        case .time: 2
        case .text: 3
        }
    }

    /// Its order by the values themselves: below 0 if it comes before the other.
    func order(_ other: FactValue) -> Int {
        switch (self, other) {
        case (.bool(let one), .bool(let other)): (one ? 1 : 0) - (other ? 1 : 0)
        case (.integer(let one), .integer(let other)): one < other ? -1 : one > other ? 1 : 0
        case (.number(let one), .number(let other)): one < other ? -1 : one > other ? 1 : 0
        case (.integer(let one), .number(let other)): Self.order(one, other)
        case (.number(let one), .integer(let other)): -Self.order(other, one)
        case (.time(let one), .time(let other)): one < other ? -1 : one > other ? 1 : 0
        case (.text(let one), .text(let other)):
            one.utf8.lexicographicallyPrecedes(other.utf8) ? -1 : one.utf8.elementsEqual(other.utf8) ? 0 : 1
        default: sort - other.sort
        }
    }

    private static func order(_ integer: Int64, _ number: Double) -> Int {
        guard number < 0x1p63 else { return -1 }
        guard number >= -0x1p63 else { return 1 }
        let whole = Int64(number.rounded(.down))
        if integer != whole { return integer < whole ? -1 : 1 }
        return number > number.rounded(.down) ? -1 : 0
    }
}
