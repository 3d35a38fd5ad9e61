import Foundation

// `IndexSet` is not among them: its `init(from:)` traps on ranges that cannot be, whoever decodes it.
/// Types that are put together by chance: about thirty leaves and as many ways to wrap or join what there is.
enum DrawnTypes {
    private static let leaves: [any Drawn.Type] = [
        Bool.self, Int.self, Int8.self, Int16.self, Int32.self, Int64.self, Int128.self, UInt.self, UInt8.self,
        UInt16.self, UInt32.self, UInt64.self, UInt128.self, Double.self, Double.self, Float.self, String.self,
        String.self, Date.self, Data.self, URL.self, Decimal.self, UUID.self, Duration.self, DateComponents.self,
        Range<Int>.self, SIMD4<Float>.self, Weekday.self, Grade.self, Shape.self, Shape.self,
        Optionals.self, OddKeys.self, Tree.self, Animal.self, Cat.self, Dog.self,
    ]

    /// A type of at most so many levels.
    static func drawn(by chance: inout SeededGenerator, depth: Int) -> any Drawn.Type {
        guard depth > 0, !chance.chance(oneIn: 4) else { return chance.one(of: leaves) }
        let inner = drawn(by: &chance, depth: depth - 1)
        let choice = chance.number(below: 15)
        guard choice >= 11 else { return wrapped(inner, choice) }
        return joined(inner, drawn(by: &chance, depth: depth - 1), choice)
    }

    private static func wrapped<A: Drawn>(_ type: A.Type, _ choice: Int) -> any Drawn.Type {
        switch choice {
        case 0: [A].self
        case 1: A?.self
        case 2: [String: A].self
        case 3: [Int: A].self
        case 4: [Weekday: A].self
        case 5: [Grade: A].self
        case 6: ContiguousArray<A>.self
        case 7: Single<A>.self
        case 8: Crossed<A>.self
        case 9: Lenient<A>.self
        default: Placed<A>.self
        }
    }

    private static func joined<A: Drawn, B: Drawn>(_ a: A.Type, _ b: B.Type, _ choice: Int) -> any Drawn.Type {
        switch choice {
        case 11: Pair<A, B>.self
        case 12: Either<A, B>.self
        case 13: Nested<A, B>.self
        default: [Pair<A, B>].self
        }
    }
}
