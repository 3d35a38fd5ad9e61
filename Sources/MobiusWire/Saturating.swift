extension FixedWidthInteger {
    /// The sum, or the limit that it would exceed: for numbers that peers choose.
    @inlinable package func saturatingAdding(_ other: Self) -> Self {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? (other < 0 ? .min : .max) : sum
    }
}

extension WallTime {
    /// Returns the number of whole milliseconds since `earlier`; 0 when that is later.
    package func milliseconds(since earlier: WallTime) -> UInt64 {
        let (difference, overflow) = milliseconds.subtractingReportingOverflow(earlier.milliseconds)
        guard !overflow else { return milliseconds < 0 ? 0 : UInt64(Int64.max) }
        return UInt64(max(0, difference))
    }
}
