/// The error of a ``ByteReader``, of the room that reads.
package protocol ByteReaderFailure: Error {
    /// The bytes end inside a field.
    static func truncated(_ field: StaticString) -> Self
    /// Bytes follow the last field.
    static func trailing(_ count: Int, after field: StaticString) -> Self
    /// A field holds what it must not.
    static func invalid(_ field: StaticString, _ problem: StaticString) -> Self
}

/// Reads integers, texts and byte strings; total: every read is bounded, whatever the bytes are.
///
/// Integers of a fixed size are little-endian. A number is unsigned LEB128: seven bits a byte, low digits first.
///
/// It views the bytes of its caller and must not outlive them: decoders make one inside `withUnsafeBytes`.
package struct ByteReader<Failure: ByteReaderFailure> {
    @usableFromInline let bytes: UnsafeRawBufferPointer
    @usableFromInline let count: Int
    // Never beyond the count, which is why nobody checks what is computed from both for an overflow.
    @usableFromInline var position = 0
    /// The last loop's name as it stood in the bytes: most records of a message name the same loop.
    var lastLoop = (name: UnsafeRawBufferPointer(start: nil, count: 0), id: LoopID.main)

    /// Starts at the first byte.
    package init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
        count = bytes.count
    }

    /// The number of bytes left.
    @inlinable package var remaining: Int { count &- position }

    // Inlined: a record has a dozen fields, and a call would take longer than the reading.

    /// Reads one byte.
    @inlinable @inline(__always)
    package mutating func uint8(_ field: StaticString) throws(Failure) -> UInt8 {
        try integer(field)
    }

    /// Reads two bytes.
    @inlinable @inline(__always)
    package mutating func uint16(_ field: StaticString) throws(Failure) -> UInt16 {
        try integer(field)
    }

    /// Reads four bytes.
    @inlinable @inline(__always)
    package mutating func uint32(_ field: StaticString) throws(Failure) -> UInt32 {
        try integer(field)
    }

    /// Reads eight bytes.
    @inlinable @inline(__always)
    package mutating func uint64(_ field: StaticString) throws(Failure) -> UInt64 {
        try integer(field)
    }

    /// Reads a number of 1 to 10 bytes.
    @inlinable
    package mutating func number(_ field: StaticString) throws(Failure) -> UInt64 {
        var value: UInt64 = 0
        var shift: UInt64 = 0
        while position < count {
            let byte = bytes[position]
            position &+= 1
            // The tenth byte has room for the 64th bit only.
            guard shift < 63 || byte <= 1 else { throw .invalid(field, "is too large") }
            value |= UInt64(byte & 0x7f) << shift
            if byte < 0x80 { return value }
            shift += 7
        }
        throw .truncated(field)
    }

    /// Reads a number that fits 32 bits.
    @inlinable
    package mutating func shortNumber(_ field: StaticString) throws(Failure) -> UInt32 {
        guard let value = UInt32(exactly: try number(field)) else { throw .invalid(field, "is too large") }
        return value
    }

    /// Reads bytes behind their number.
    @inlinable
    package mutating func counted(_ field: StaticString) throws(Failure) -> UnsafeRawBufferPointer {
        guard let length = Int(exactly: try number(field)) else { throw .truncated(field) }
        return try consume(length, field)
    }

    /// Reads UTF-8 behind its number of bytes.
    package mutating func countedText(_ field: StaticString) throws(Failure) -> String {
        try Self.string(try counted(field), field)
    }

    /// Reads UTF-8 of so many bytes.
    package mutating func string(length: Int, _ field: StaticString) throws(Failure) -> String {
        try Self.string(try consume(length, field), field)
    }

    /// Fails when bytes are left over.
    package func end(_ field: StaticString) throws(Failure) {
        guard remaining == 0 else { throw .trailing(remaining, after: field) }
    }

    /// Reads so many bytes, where they are.
    @inlinable @inline(__always)
    package mutating func consume(_ length: Int, _ field: StaticString) throws(Failure) -> UnsafeRawBufferPointer {
        guard length <= remaining else { throw Self.truncated(field) }
        defer { position &+= length }
        return UnsafeRawBufferPointer(rebasing: bytes[position..<position &+ length])
    }

    static func string(_ view: UnsafeRawBufferPointer, _ field: StaticString) throws(Failure) -> String {
        if view.isEmpty { return "" }
        guard let value = String(validating: view, as: UTF8.self) else { throw .invalid(field, "is not UTF-8") }
        return value
    }

    @inlinable @inline(__always)
    mutating func integer<Value: FixedWidthInteger & BitwiseCopyable>(
        _ field: StaticString
    ) throws(Failure) -> Value {
        guard MemoryLayout<Value>.size <= remaining else { throw Self.truncated(field) }
        defer { position &+= MemoryLayout<Value>.size }
        return Value(littleEndian: bytes.loadUnaligned(fromByteOffset: position, as: Value.self))
    }

    // Apart from where the fields are read, which is done a dozen times for each record.
    @usableFromInline @inline(never)
    static func truncated(_ field: StaticString) -> Failure { .truncated(field) }
}
