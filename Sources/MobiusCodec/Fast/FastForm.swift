/// What both sides hold to.
@usableFromInline
enum FastForm {
    /// Stands behind the last field of a record.
    @inlinable static var end: UInt8 { 0 }
    /// Stands before the number of a case, and nowhere else where a field could begin.
    @inlinable static var caseMark: UInt8 { 1 }
    /// How deep records, lists and maps may lie in each other.
    @inlinable static var maximumDepth: Int { 512 }
    /// The largest number of a field or case: with its kind it takes 32 bits.
    @inlinable static var maximumNumber: Int { 0x0fff_ffff }
    /// How many bytes of memory a count may claim before its elements were seen.
    @inlinable static var claim: Int { 1 << 16 }
}
