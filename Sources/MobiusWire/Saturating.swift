extension FixedWidthInteger {
    /// The sum, or the limit that it would exceed: for numbers that peers choose.
    @inlinable package func saturatingAdding(_ other: Self) -> Self {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? (other < 0 ? .min : .max) : sum
    }
}

extension WallTime {
    /// How many whole milliseconds later it is; 0 when it is earlier.
    package func milliseconds(since earlier: WallTime) -> UInt64 {
        let (difference, overflow) = milliseconds.subtractingReportingOverflow(earlier.milliseconds)
        guard !overflow else { return milliseconds < 0 ? 0 : UInt64(Int64.max) }
        return UInt64(max(0, difference))
    }
}
