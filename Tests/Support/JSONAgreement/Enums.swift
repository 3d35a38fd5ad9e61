/// A dictionary's key that is a text in an object.
enum Weekday: String, DrawnKey, CodingKeyRepresentable, CaseIterable {
    case monday, tuesday, sunday = "dies \"solis\""

    static func drawn(by chance: inout SeededGenerator, depth: Int) -> Weekday { chance.one(of: allCases) }
}

/// A key that is no text: its dictionaries are arrays of keys and values.
enum Grade: Int, DrawnKey, CaseIterable {
    case poor = -1, fair = 7, good = 1000

    static func drawn(by chance: inout SeededGenerator, depth: Int) -> Grade { chance.one(of: allCases) }
}

/// Cases with and without values, labels, default values.
indirect enum Shape: Drawn {
    case dot
    case line(Int)
    case box(w: Double, h: Double?)
    case named(String, of: Shape)
    case group([Shape])
    case table([String: Shape], Weekday)

    static func drawn(by chance: inout SeededGenerator, depth: Int) -> Shape {
        switch chance.number(below: depth > 0 ? 6 : 3) {
        case 0: .dot
        case 1: .line(.drawn(by: &chance, depth: 0))
        case 2: .box(w: .drawn(by: &chance, depth: 0), h: .drawn(by: &chance, depth: 0))
        case 3: .named(.drawn(by: &chance, depth: 0), of: .drawn(by: &chance, depth: depth - 1))
        case 4: .group(.drawn(by: &chance, depth: depth - 1))
        default: .table(.drawn(by: &chance, depth: depth - 1), .drawn(by: &chance, depth: 0))
        }
    }
}

/// One of two.
enum Either<A: Drawn, B: Drawn>: Drawn {
    case first(A)
    case second(value: B, note: String?)

    static func drawn(by chance: inout SeededGenerator, depth: Int) -> Either {
        chance.chance(oneIn: 2)
            ? .first(.drawn(by: &chance, depth: depth - 1))
            : .second(value: .drawn(by: &chance, depth: depth - 1), note: .drawn(by: &chance, depth: 0))
    }
}
