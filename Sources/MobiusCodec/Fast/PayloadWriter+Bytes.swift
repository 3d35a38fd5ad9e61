// The contents of scalars.
extension PayloadWriter {
    /// Makes room for more bytes.
    @inlinable
    mutating func reserve(_ count: Int) {
        if end - next < count { grow(count) }
    }

    @usableFromInline
    @inline(never)
    mutating func grow(_ count: Int) {
        let used = next - start
        let capacity = max((end - start) * 2, used + count)
        let memory = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity)
        memory.update(from: start, count: used)
        start.deallocate()
        start = memory
        next = memory + used
        end = memory + capacity
    }

    @inlinable
    mutating func putByte(_ byte: UInt8) {
        reserve(1)
        next.pointee = byte
        next += 1
    }

    @inlinable
    mutating func putVarint(_ value: UInt64) {
        reserve(10)
        var rest = value
        while rest >= 0x80 {
            next.pointee = UInt8(truncatingIfNeeded: rest) | 0x80
            next += 1
            rest >>= 7
        }
        next.pointee = UInt8(truncatingIfNeeded: rest)
        next += 1
    }

    @inlinable
    mutating func putZigzag(_ value: Int64) {
        putVarint(UInt64(bitPattern: value << 1 ^ value >> 63))
    }

    @usableFromInline
    mutating func putVarint(_ value: UInt128) {
        reserve(19)
        var rest = value
        while rest >= 0x80 {
            next.pointee = UInt8(truncatingIfNeeded: rest) | 0x80
            next += 1
            rest >>= 7
        }
        next.pointee = UInt8(truncatingIfNeeded: rest)
        next += 1
    }

    @usableFromInline
    mutating func putZigzag(_ value: Int128) {
        putVarint(UInt128(bitPattern: value << 1 ^ value >> 127))
    }

    /// The bytes of an integer, the lowest first.
    @inlinable
    mutating func putFixed<Bits: FixedWidthInteger & BitwiseCopyable>(_ bits: Bits) {
        reserve(MemoryLayout<Bits>.size)
        UnsafeMutableRawPointer(next).storeBytes(of: bits.littleEndian, as: Bits.self)
        next += MemoryLayout<Bits>.size
    }

    /// A count of bytes, and these.
    @inlinable
    mutating func putBytes(_ bytes: UnsafeRawBufferPointer) {
        putVarint(UInt64(bytes.count))
        reserve(bytes.count)
        guard let from = bytes.baseAddress else { return }
        UnsafeMutableRawPointer(next).copyMemory(from: from, byteCount: bytes.count)
        next += bytes.count
    }

    /// A count of bytes, and UTF-8.
    @inlinable
    mutating func putText(_ text: String) {
        text.withPlacedUTF8 { putBytes(UnsafeRawBufferPointer($0)) }
    }
}
