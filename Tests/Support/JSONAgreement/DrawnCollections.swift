// Collections of drawn values, as the standard library codes them.
extension Optional: Drawn where Wrapped: Drawn {
    static func drawn(by chance: inout SeededGenerator, depth: Int) -> Wrapped? {
        chance.chance(oneIn: 3) ? nil : Wrapped.drawn(by: &chance, depth: depth)
    }
}

extension Array: Drawn where Element: Drawn {
    static func drawn(by chance: inout SeededGenerator, depth: Int) -> [Element] {
        (0..<chance.count(depth)).map { _ in Element.drawn(by: &chance, depth: depth - 1) }
    }
}

extension ContiguousArray: Drawn where Element: Drawn {
    static func drawn(by chance: inout SeededGenerator, depth: Int) -> ContiguousArray {
        ContiguousArray([Element].drawn(by: &chance, depth: depth))
    }
}

/// Something that may be a dictionary's key.
protocol DrawnKey: Drawn, Hashable {}

extension Int: DrawnKey {}
extension String: DrawnKey {}
extension UInt8: DrawnKey {}

extension Dictionary: Drawn where Key: DrawnKey, Value: Drawn {
    static func drawn(by chance: inout SeededGenerator, depth: Int) -> [Key: Value] {
        var members: [Key: Value] = [:]
        let count = chance.chance(oneIn: 30) ? 25 : chance.count(depth)
        for _ in 0..<count {
            members[Key.drawn(by: &chance, depth: 0)] = Value.drawn(by: &chance, depth: depth - 1)
        }
        return members
    }
}

extension Range: Drawn where Bound == Int {
    static func drawn(by chance: inout SeededGenerator, depth: Int) -> Range<Int> {
        let lower = chance.number(below: 100)
        return lower..<lower + chance.number(below: 100)
    }
}

extension SIMD4: Drawn where Scalar == Float {
    static func drawn(by chance: inout SeededGenerator, depth: Int) -> SIMD4<Float> {
        SIMD4(Float(chance.number(below: 9)), 1, -0.5, 0)
    }
}
