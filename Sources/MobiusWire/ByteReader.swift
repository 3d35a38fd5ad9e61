/// Reads the protocol's basic fields from bytes; every read is bounded, whatever the bytes are.
///
/// It views the bytes of its caller and must not outlive them: decoders make one inside `withUnsafeBytes`.
struct ByteReader {
    private let bytes: UnsafeRawBufferPointer
    private let count: Int
    // Never beyond the count, which is why nobody checks what is computed from both for an overflow.
    private var position = 0
    /// The last loop's name as it stood in the bytes: most records of a message name the same loop.
    private var lastLoop = (name: UnsafeRawBufferPointer(start: nil, count: 0), id: LoopID.main)

    init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
        count = bytes.count
    }

    var remaining: Int { count &- position }

    // Inlined: a record has a dozen fields, and a call would take longer than the reading.
    @inline(__always)
    mutating func uint8(_ field: StaticString) throws(WireError) -> UInt8 {
        try integer(field)
    }

    @inline(__always)
    mutating func uint16(_ field: StaticString) throws(WireError) -> UInt16 {
        try integer(field)
    }

    @inline(__always)
    mutating func uint32(_ field: StaticString) throws(WireError) -> UInt32 {
        try integer(field)
    }

    @inline(__always)
    mutating func uint64(_ field: StaticString) throws(WireError) -> UInt64 {
        try integer(field)
    }

    mutating func shortString(_ field: StaticString) throws(WireError) -> String {
        try string(length: Int(uint8(field)), field)
    }

    mutating func longString(_ field: StaticString) throws(WireError) -> String {
        try string(length: Int(uint16(field)), field)
    }

    mutating func block(_ field: StaticString) throws(WireError) -> [UInt8] {
        [UInt8](try take(Int(uint32(field)), field))
    }

    mutating func randomID<Kind>(_ field: StaticString) throws(WireError) -> RandomID<Kind> {
        RandomID(high: try uint64(field), low: try uint64(field))
    }

    mutating func loop() throws(WireError) -> LoopID {
        let name = try take(Int(uint8("loop")), "loop")
        guard (1...LoopID.maximumLength).contains(name.count) else {
            throw WireError(.invalidField, "loop must have 1 to \(LoopID.maximumLength) bytes")
        }
        if !Self.areEqual(name, lastLoop.name) {
            lastLoop = (name, LoopID(unchecked: try Self.string(name, "loop")))
        }
        return lastLoop.id
    }

    /// Whether these are the same bytes: eight at a time, because a sequence's own comparison looks at each of them.
    private static func areEqual(_ one: UnsafeRawBufferPointer, _ other: UnsafeRawBufferPointer) -> Bool {
        guard one.count == other.count else { return false }
        var position = 0
        while position + 8 <= one.count {
            let (eight, others) = (
                one.loadUnaligned(fromByteOffset: position, as: UInt64.self),
                other.loadUnaligned(fromByteOffset: position, as: UInt64.self)
            )
            guard eight == others else { return false }
            position += 8
        }
        while position < one.count {
            guard one[position] == other[position] else { return false }
            position += 1
        }
        return true
    }

    /// A reader of the next bytes, which stand behind their number and which this one skips.
    mutating func nested(_ field: StaticString) throws(WireError) -> ByteReader {
        ByteReader(try take(Int(uint32(field)), field))
    }

    /// Records behind their number, which is refused when so many cannot follow: a count makes nobody allocate.
    mutating func records<Record>(
        ofAtLeast size: Int, _ field: StaticString, _ read: (inout ByteReader) throws(WireError) -> Record
    ) throws(WireError) -> [Record] {
        let count = Int(try uint32(field))
        guard count <= remaining / size else { throw WireError(.truncated, "\(field)") }
        var records: [Record] = []
        try records.append(addingCapacity: count) { (span) throws(WireError) in
            for _ in 0..<count { span.append(try read(&self)) }
        }
        return records
    }

    func end(_ field: StaticString) throws(WireError) {
        guard remaining == 0 else { throw WireError(.trailingBytes, "\(remaining) after \(field)") }
    }

    private mutating func string(length: Int, _ field: StaticString) throws(WireError) -> String {
        let view = try take(length, field)
        return view.isEmpty ? "" : try Self.string(view, field)
    }

    private static func string(_ view: UnsafeRawBufferPointer, _ field: StaticString) throws(WireError) -> String {
        guard let value = String(validating: view, as: UTF8.self) else {
            throw WireError(.invalidField, "\(field) is not UTF-8")
        }
        return value
    }

    @inline(__always)
    private mutating func integer<Value: FixedWidthInteger & BitwiseCopyable>(
        _ field: StaticString
    ) throws(WireError) -> Value {
        guard MemoryLayout<Value>.size <= remaining else { throw Self.truncated(field) }
        defer { position &+= MemoryLayout<Value>.size }
        return Value(littleEndian: bytes.loadUnaligned(fromByteOffset: position, as: Value.self))
    }

    @inline(__always)
    private mutating func take(_ length: Int, _ field: StaticString) throws(WireError) -> UnsafeRawBufferPointer {
        guard length <= remaining else { throw Self.truncated(field) }
        defer { position += length }
        return UnsafeRawBufferPointer(rebasing: bytes[position..<position + length])
    }

    // Apart from where the fields are read, which is done a dozen times for each record.
    @inline(never)
    private static func truncated(_ field: StaticString) -> WireError { WireError(.truncated, "\(field)") }
}
