import Foundation

// The contents of scalars.
extension PayloadReader {
    @inlinable
    mutating func byte() throws -> UInt8 {
        guard next < end else { throw truncated() }
        defer { next += 1 }
        return next.pointee
    }

    @inlinable
    mutating func varint() throws -> UInt64 {
        if next < end, next.pointee < 0x80 {
            defer { next += 1 }
            return UInt64(next.pointee)
        }
        return try longVarint()
    }

    @usableFromInline
    mutating func longVarint() throws -> UInt64 {
        var value: UInt64 = 0
        var shift: UInt64 = 0
        while true {
            let byte = try byte()
            let bits = UInt64(byte & 0x7f)
            guard shift < 63 || bits < 2 && shift == 63 else { throw failure("a whole number is too large") }
            value |= bits << shift
            if byte < 0x80 { return value }
            shift += 7
        }
    }

    /// A whole number of up to 128 bits.
    mutating func wideVarint() throws -> UInt128 {
        var value: UInt128 = 0
        var shift: UInt128 = 0
        while true {
            let byte = try byte()
            let bits = UInt128(byte & 0x7f)
            guard shift < 126 || bits < 4 && shift == 126 else { throw failure("a whole number is too large") }
            value |= bits << shift
            if byte < 0x80 { return value }
            shift += 7
        }
    }

    /// A whole number of either kind that fits.
    @inlinable
    mutating func integer<Integer: FixedWidthInteger>(_ type: Integer.Type = Integer.self) throws -> Integer {
        if kind == .unsigned {
            if Integer.bitWidth <= 64 || remaining > 0 && next.pointee < 0x80 {
                if let integer = Integer(exactly: try varint()) { return integer }
                throw failure("a whole number does not fit")
            }
        } else if kind == .signed, Integer.bitWidth <= 64 || remaining > 0 && next.pointee < 0x80 {
            let bits = try varint()
            if let integer = Integer(exactly: Int64(bitPattern: bits >> 1) ^ -Int64(bitPattern: bits & 1)) {
                return integer
            }
            throw failure("a whole number does not fit")
        }
        return try wideInteger()
    }

    @usableFromInline
    @inline(never)
    mutating func wideInteger<Integer: FixedWidthInteger>() throws -> Integer {
        let integer: Integer?
        switch kind {
        case .unsigned: integer = Integer(exactly: try wideVarint())
        case .signed:
            let bits = try wideVarint()
            integer = Integer(exactly: Int128(bitPattern: bits >> 1) ^ -Int128(bitPattern: bits & 1))
        default: throw mismatch(Integer.self)
        }
        guard let integer else { throw failure("a whole number does not fit") }
        return integer
    }

    /// An integer whose bytes stand with the lowest first.
    @inlinable
    mutating func fixed<Bits: FixedWidthInteger & BitwiseCopyable>(_ type: Bits.Type = Bits.self) throws -> Bits {
        guard remaining >= MemoryLayout<Bits>.size else { throw truncated() }
        defer { next += MemoryLayout<Bits>.size }
        return Bits(littleEndian: UnsafeRawPointer(next).loadUnaligned(as: Bits.self))
    }

    /// A count of bytes, and these, in place.
    @inlinable
    mutating func counted() throws -> UnsafeBufferPointer<UInt8> {
        let count = try varint()
        guard count <= UInt64(remaining) else { throw truncated() }
        defer { next += Int(count) }
        return UnsafeBufferPointer(start: next, count: Int(count))
    }

    /// A count of bytes, and UTF-8.
    @usableFromInline
    mutating func text() throws -> String {
        let bytes = try counted()
        // Decoding what is not UTF-8 gives other bytes. To compare them takes less than half of the library's validation, which
        // looks up generic metadata.
        var text = String(decoding: bytes, as: UTF8.self)
        let isSame = text.withUTF8 { decoded in
            guard let first = decoded.baseAddress, let second = bytes.baseAddress, decoded.count == bytes.count else {
                return decoded.count == bytes.count
            }
            return memcmp(first, second, bytes.count) == 0
        }
        guard isSame else { throw failure("a text is not valid UTF-8") }
        return text
    }

    /// A count of contents that take a byte each at least.
    @inlinable
    mutating func count() throws -> Int {
        let count = try varint()
        guard count <= UInt64(remaining) else { throw truncated() }
        return Int(count)
    }

    @usableFromInline
    @inline(never)
    func truncated() -> any Error {
        failure("the bytes end too early")
    }
}
