extension JSONNumber.Parts {
    /// The number of so many bits that is nearest to digits times a power of ten, in exact arithmetic; `nil` for those with
    /// more than 19 digits or a large power, and for zero.
    func nearest(bits: Int) -> Double? {
        guard (1...19).contains(digitCount), abs(exponent) < Self.fives.count else { return nil }
        let number =
            if exponent >= 0 {
                // Below 2 to the power of 64 + 63.
                Self.round(UInt128(digits) * UInt128(Self.fives[exponent]), isMore: false, power: exponent, bits: bits)
            } else {
                quotient(bits: bits)
            }
        return isNegative ? -number : number
    }

    private func quotient(bits: Int) -> Double {
        // The dividend begins with its highest bit, so that the quotient has at least 65.
        let shift = 64 + digits.leadingZeroBitCount
        let (quotient, remainder) = (UInt128(digits) << UInt128(shift))
            .quotientAndRemainder(dividingBy: UInt128(Self.fives[-exponent]))
        return Self.round(quotient, isMore: remainder != 0, power: exponent - shift, bits: bits)
    }

    /// A number times a power of two, to the nearest of so many bits, and of two that are as near to the even one.
    ///
    /// - Parameter isMore: Whether the number is a fraction larger.
    private static func round(_ number: UInt128, isMore: Bool, power: Int, bits: Int) -> Double {
        let excess = 128 - number.leadingZeroBitCount - bits
        guard excess > 0 else { return Double(UInt64(number)) * powerOfTwo(power) }
        var kept = UInt64(truncatingIfNeeded: number >> UInt128(excess))
        let lost = number & (1 << UInt128(excess) - 1)
        let half: UInt128 = 1 << UInt128(excess - 1)
        if lost > half || lost == half && (isMore || kept & 1 == 1) { kept += 1 }
        return Double(kept) * powerOfTwo(power + excess)
    }

    /// The powers here are within -192...128, and so exact.
    private static func powerOfTwo(_ power: Int) -> Double { Double(bitPattern: UInt64(power + 1023) << 52) }

    /// The powers of five that are below 2 to the power of 63.
    private static let fives: [UInt64] = (0...27).map { power in (0..<power).reduce(1) { five, _ in five * 5 } }
}
