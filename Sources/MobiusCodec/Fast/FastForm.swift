/// Constants of both directions.
@usableFromInline
enum FastForm {
    /// Follows the last field of a record.
    @inlinable static var end: UInt8 { 0 }
    /// Precedes the number of a case; no field can begin with it.
    @inlinable static var caseMark: UInt8 { 1 }
    /// The maximum nesting of records, lists and maps.
    @inlinable static var maximumDepth: Int { 512 }
    /// The largest number of a field or case: with its kind it takes 32 bits.
    @inlinable static var maximumNumber: Int { 0x0fff_ffff }
    /// The maximum memory that is reserved for a count before its elements are read.
    @inlinable static var claim: Int { 1 << 16 }
}
