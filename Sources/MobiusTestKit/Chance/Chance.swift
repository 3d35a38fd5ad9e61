import MobiusEngine

/// The one source of chance in a run: equal seeds give equal runs.
package struct Chance: Sendable {
    private var source: SplitMix64

    package init(seed: UInt64) {
        source = SplitMix64(seed: seed &* 0x2545_F491_4F6C_DD1D &+ 0x1234_5678_9ABC_DEF1)
    }

    package mutating func next() -> UInt64 { source.next() }

    /// True in so many of ten thousand cases.
    package mutating func happens(_ outOfTenThousand: Int) -> Bool {
        outOfTenThousand > 0 && next() % 10_000 < UInt64(outOfTenThousand)
    }

    /// True in so many of a hundred cases.
    package mutating func percent(_ percent: Int) -> Bool { happens(percent * 100) }

    /// A whole number of the range.
    package mutating func number(_ range: ClosedRange<Int>) -> Int {
        range.lowerBound + Int(next() % UInt64(range.count))
    }

    /// A time of so many microseconds.
    package mutating func microseconds(_ range: ClosedRange<Int>) -> Duration { .microseconds(number(range)) }

    /// A time of so many milliseconds, in steps of a microsecond.
    package mutating func milliseconds(_ range: ClosedRange<Int>) -> Duration {
        microseconds(range.lowerBound * 1000...range.upperBound * 1000)
    }

    /// One of several.
    package mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[number(0...(elements.count - 1))]
    }
}
