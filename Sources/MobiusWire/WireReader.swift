/// Reads the fields of this protocol.
typealias WireReader = ByteReader<WireError>

extension WireError: ByteReaderFailure {
    package static func truncated(_ field: StaticString) -> WireError { WireError(.truncated, "\(field)") }

    package static func trailing(_ count: Int, after field: StaticString) -> WireError {
        WireError(.trailingBytes, "\(count) after \(field)")
    }

    package static func invalid(_ field: StaticString, _ problem: StaticString) -> WireError {
        WireError(.invalidField, "\(field) \(problem)")
    }
}

extension WireReader {
    mutating func shortString(_ field: StaticString) throws(WireError) -> String {
        try string(length: Int(uint8(field)), field)
    }

    mutating func longString(_ field: StaticString) throws(WireError) -> String {
        try string(length: Int(uint16(field)), field)
    }

    mutating func block(_ field: StaticString) throws(WireError) -> [UInt8] {
        [UInt8](try consume(Int(uint32(field)), field))
    }

    mutating func randomID<Kind>(_ field: StaticString) throws(WireError) -> RandomID<Kind> {
        RandomID(high: try uint64(field), low: try uint64(field))
    }

    mutating func loop() throws(WireError) -> LoopID {
        let name = try consume(Int(uint8("loop")), "loop")
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
        if position + 4 <= one.count {
            let four = one.loadUnaligned(fromByteOffset: position, as: UInt32.self)
            guard four == other.loadUnaligned(fromByteOffset: position, as: UInt32.self) else { return false }
            position += 4
        }
        while position < one.count {
            guard one[position] == other[position] else { return false }
            position += 1
        }
        return true
    }

    /// A reader of the next bytes, which stand behind their number and which this one skips.
    mutating func nested(_ field: StaticString) throws(WireError) -> WireReader {
        WireReader(try consume(Int(uint32(field)), field))
    }

    /// Records behind their number, which is refused when so many cannot follow: a count makes nobody allocate.
    mutating func records<Record>(
        ofAtLeast size: Int, _ field: StaticString, _ read: (inout WireReader) throws(WireError) -> Record
    ) throws(WireError) -> [Record] {
        let count = Int(try uint32(field))
        guard count <= remaining / size else { throw WireError(.truncated, "\(field)") }
        var records: [Record] = []
        try records.append(addingCapacity: count) { (span) throws(WireError) in
            for _ in 0..<count { span.append(try read(&self)) }
        }
        return records
    }
}
