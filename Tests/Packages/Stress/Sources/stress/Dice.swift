/// Chance with a seed: the same seed and the same place give the same choices, however threads interleave.
struct Dice {
    private var state: UInt64

    /// Dice of their own for each place, such as one thread in one life of a loop.
    init(seed: UInt64, _ place: Int...) {
        state = seed
        for number in place { state = Self.mixed(state &+ UInt64(truncatingIfNeeded: number)) }
    }

    /// A number from 0 to `limit - 1`.
    mutating func roll(_ limit: Int) -> Int {
        state &+= 0x9E37_79B9_7F4A_7C15
        return Int(Self.mixed(state) % UInt64(limit))
    }

    /// True once in `times`.
    mutating func isOne(in times: Int) -> Bool {
        roll(times) == 0
    }

    /// SplitMix64 (Steele, Lea, Flood 2014).
    private static func mixed(_ number: UInt64) -> UInt64 {
        var number = number
        number = (number ^ (number >> 30)) &* 0xBF58_476D_1CE4_E5B9
        number = (number ^ (number >> 27)) &* 0x94D0_49BB_1331_11EB
        return number ^ (number >> 31)
    }
}
