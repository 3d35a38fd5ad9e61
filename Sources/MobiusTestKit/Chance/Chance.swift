import MobiusEngine

/// The only source of randomness in a run: equal seeds give equal runs.
package struct Chance: Sendable {
    private var source: SplitMix64

    package init(seed: UInt64) {
        source = SplitMix64(seed: seed &* 0x2545_F491_4F6C_DD1D &+ 0x1234_5678_9ABC_DEF1)
    }

    package mutating func next() -> UInt64 { source.next() }

    /// Returns `true` in `outOfTenThousand` of 10,000 cases.
    package mutating func happens(_ outOfTenThousand: Int) -> Bool {
        outOfTenThousand > 0 && next() % 10_000 < UInt64(outOfTenThousand)
    }

    /// Returns `true` in `percent` of 100 cases.
    package mutating func percent(_ percent: Int) -> Bool { happens(percent * 100) }

    /// A random number in the range.
    package mutating func number(_ range: ClosedRange<Int>) -> Int {
        range.lowerBound + Int(next() % UInt64(range.count))
    }

    /// A random duration; the range is in microseconds.
    package mutating func microseconds(_ range: ClosedRange<Int>) -> Duration { .microseconds(number(range)) }

    /// A random duration in steps of a microsecond; the range is in milliseconds.
    package mutating func milliseconds(_ range: ClosedRange<Int>) -> Duration {
        microseconds(range.lowerBound * 1000...range.upperBound * 1000)
    }

    /// A random element of a non-empty array.
    package mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[number(0...(elements.count - 1))]
    }
}
