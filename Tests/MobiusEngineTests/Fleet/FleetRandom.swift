/// The one source of chance in a run: equal seeds give equal runs.
struct FleetRandom: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed &* 0x2545_F491_4F6C_DD1D &+ 1
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// True in `percent` of a hundred cases.
    mutating func chance(_ percent: UInt64) -> Bool {
        next() % 100 < percent
    }

    /// A whole number of the range.
    mutating func number(_ range: ClosedRange<Int>) -> Int {
        range.lowerBound + Int(next() % UInt64(range.count))
    }

    /// A time of so many microseconds.
    mutating func microseconds(_ range: ClosedRange<Int>) -> Duration {
        .microseconds(number(range))
    }
}
