/// A number generator that gives the same numbers for the same seed: SplitMix64 (Steele and others, 2014).
package struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    package init(_ seed: UInt64) { state = seed }

    package mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }

    package mutating func one<Element>(of choices: [Element]) -> Element {
        choices[number(below: choices.count)]
    }

    package mutating func number(below limit: Int) -> Int { Int(next() % UInt64(limit)) }

    package mutating func chance(oneIn count: Int) -> Bool { number(below: count) == 0 }

    /// So many of them, fewer when they are drawn deep within others.
    mutating func count(_ depth: Int) -> Int { number(below: depth > 0 ? 5 : 2) }

    package mutating func text() -> String {
        let letters: [Character] = [
            "a", "b", "\"", "\\", "/", "\n", "\u{1}", "é", "😀", "\u{7f}", "\u{2028}", "0", " ", "\0", "e\u{301}", "z",
            "\u{fffd}", "\u{feff}", "}", "\t",
        ]
        let length = chance(oneIn: 50) ? 200 : number(below: 12)
        return String((0..<length).map { _ in one(of: letters) })
    }
}
