/// Writes what a ``ByteReader`` reads, into room made beforehand or into memory of its own.
///
/// Growing an array at every field took half of the time of encoding, so a message tells its room first. A message
/// that understates it traps instead of writing elsewhere.
package struct ByteWriter {
    @usableFromInline var room: UnsafeMutableRawBufferPointer
    @usableFromInline var count: Int
    // Never beyond the count, which is why nobody checks what is computed from both for an overflow.
    @usableFromInline var position = 0
    /// Whether the room is its own, which grows.
    private let grows: Bool

    private init(_ room: UnsafeMutableRawBufferPointer, grows: Bool) {
        self.room = room
        self.grows = grows
        count = room.count
    }

    /// Makes a writer with memory of its own, to be freed by ``deallocate()``; copies must not be written to.
    package init(capacity: Int) {
        self.init(.allocate(byteCount: capacity, alignment: 16), grows: true)
    }

    /// Frees the memory; nothing may be written or read afterwards.
    package func deallocate() {
        room.deallocate()
    }

    /// The number of bytes written.
    @inlinable package var length: Int { position }

    /// The bytes written so far, valid until the next write.
    package var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: room[..<position]) }

    /// Forgets what was written, but keeps the memory.
    package mutating func reset() {
        position = 0
    }

    /// Appends what `write` writes, however much it is, to `bytes`.
    package static func append<Failure>(
        to bytes: inout [UInt8], _ write: (inout ByteWriter) throws(Failure) -> Void
    ) throws(Failure) {
        var writer = ByteWriter(capacity: 256)
        defer { writer.deallocate() }
        try write(&writer)
        bytes.append(contentsOf: writer.bytes)
    }

    /// Appends what `write` writes, at most `length` bytes, to `bytes`.
    static func append(atMost length: Int, to bytes: inout [UInt8], _ write: (inout ByteWriter) -> Void) {
        bytes.append(addingCapacity: length) { span in
            span.withUnsafeMutableBufferPointer { buffer, initializedCount in
                var writer = ByteWriter(UnsafeMutableRawBufferPointer(buffer), grows: false)
                write(&writer)
                initializedCount = writer.position
            }
        }
    }

    /// Writes one byte.
    @inlinable
    package mutating func uint8(_ value: UInt8) {
        integer(value)
    }

    /// Writes a number as unsigned LEB128: one byte up to 127.
    @inlinable
    package mutating func number(_ value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            uint8(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        uint8(UInt8(truncatingIfNeeded: rest))
    }

    /// Writes bytes behind their number.
    package mutating func counted(_ value: [UInt8]) {
        number(UInt64(value.count))
        value.withUnsafeBytes { copy($0) }
    }

    /// Writes UTF-8 behind its number of bytes.
    package mutating func counted(_ value: String) {
        number(UInt64(value.utf8.count))
        copy(value)
    }

    mutating func uint16(_ value: UInt16) {
        integer(value)
    }

    mutating func uint32(_ value: UInt32) {
        integer(value)
    }

    mutating func uint64(_ value: UInt64) {
        integer(value)
    }

    /// A string of at most 255 bytes; a longer one is cut at a character.
    mutating func shortString(_ value: String) {
        guard !value.isEmpty else { return uint8(0) }
        guard value.utf8.count <= Int(UInt8.max) else { return shortString(value.cut(toBytes: Int(UInt8.max))) }
        uint8(UInt8(value.utf8.count))
        copy(value)
    }

    /// A loop's name, which needs no cutting.
    mutating func loop(_ loop: LoopID) {
        uint8(UInt8(loop.name.utf8.count))
        copy(loop.name)
    }

    /// A string of at most 65,535 bytes; a longer one is cut at a character.
    mutating func longString(_ value: String) {
        guard value.utf8.count <= Int(UInt16.max) else { return longString(value.cut(toBytes: Int(UInt16.max))) }
        uint16(UInt16(value.utf8.count))
        copy(value)
    }

    /// Bytes behind their number; more than 4 GiB are a programmer error, which limits rule out long before.
    mutating func block(_ value: [UInt8]) {
        uint32(UInt32(value.count))
        value.withUnsafeBytes { copy($0) }
    }

    mutating func randomID<Kind>(_ value: RandomID<Kind>) {
        uint64(value.high)
        uint64(value.low)
    }

    /// Writes the output of `write` after its number of bytes.
    mutating func block(_ write: (inout ByteWriter) -> Void) {
        let start = position
        uint32(0)
        write(&self)
        let length = UInt32(position - start - MemoryLayout<UInt32>.size)
        room.storeBytes(of: length.littleEndian, toByteOffset: start, as: UInt32.self)
    }

    mutating func records<Record>(_ records: [Record], _ write: (borrowing Record, inout ByteWriter) -> Void) {
        uint32(UInt32(records.count))
        let records = records.span
        for position in records.indices { write(records[position], &self) }
    }

    @inlinable
    mutating func integer<Value: FixedWidthInteger & BitwiseCopyable>(_ value: Value) {
        let start = claim(MemoryLayout<Value>.size)
        room.storeBytes(of: value.littleEndian, toByteOffset: start, as: Value.self)
    }

    /// Writes UTF-8 as it is, without its length.
    package mutating func text(_ value: String) {
        copy(value)
    }

    /// The bytes of a string where it is, for what may change it first is given a copy: they stand in memory in one piece,
    /// unless they came from Objective-C.
    private mutating func copy(_ string: String) {
        let isCopied: Void? = string.utf8.withContiguousStorageIfAvailable { copy(UnsafeRawBufferPointer($0)) }
        guard isCopied == nil else { return }
        var string = string
        string.withUTF8 { copy(UnsafeRawBufferPointer($0)) }
    }

    private mutating func copy(_ bytes: UnsafeRawBufferPointer) {
        let start = claim(bytes.count)
        UnsafeMutableRawBufferPointer(rebasing: room[start..<position]).copyMemory(from: bytes)
    }

    /// The next `length` bytes of the room: where they start.
    @inlinable
    mutating func claim(_ length: Int) -> Int {
        if length > count &- position { grow(by: length) }
        defer { position &+= length }
        return position
    }

    @usableFromInline @inline(never)
    mutating func grow(by length: Int) {
        precondition(grows, "A message must tell at least the bytes that it writes.")
        let larger = UnsafeMutableRawBufferPointer.allocate(
            byteCount: max(2 * count, position + length), alignment: 16)
        larger.copyMemory(from: bytes)
        room.deallocate()
        (room, count) = (larger, larger.count)
    }
}

extension Array {
    /// The sum of what `length` says of each element, none of which is copied.
    func total(_ length: (borrowing Element) -> Int) -> Int {
        var total = 0
        let elements = span
        for position in elements.indices { total += length(elements[position]) }
        return total
    }
}
