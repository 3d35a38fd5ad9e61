// What requests and answers have in common.

extension EffectID {
    func write(to writer: inout ByteWriter) {
        writer.shortString(loop.name)
        writer.uint64(sequence)
        writer.uint32(index)
    }

    init(from reader: inout WireReader) throws(WireError) {
        let loop = try reader.loop()
        self.init(loop: loop, sequence: try reader.uint64("sequence"), index: try reader.uint32("index"))
    }
}

extension PayloadKind {
    func write(to writer: inout ByteWriter) {
        writer.shortString(type)
        writer.uint16(version)
        writer.shortString(contentType)
    }

    init(from reader: inout WireReader) throws(WireError) {
        self.init(
            type: try reader.shortString("type"), version: try reader.uint16("type version"),
            contentType: try reader.shortString("content type"))
    }
}

extension ByteWriter {
    mutating func wallTime(_ value: WallTime) {
        uint64(UInt64(bitPattern: value.milliseconds))
    }

    /// A sentence for people, cut to ``ClientAnswer/maximumReason``.
    mutating func reason(_ value: String) {
        longString(value.cut(toBytes: ClientAnswer.maximumReason))
    }
}

extension WireReader {
    mutating func wallTime(_ field: StaticString) throws(WireError) -> WallTime {
        WallTime(milliseconds: Int64(bitPattern: try uint64(field)))
    }

    mutating func reason(_ field: StaticString) throws(WireError) -> String {
        try longString(field).cut(toBytes: ClientAnswer.maximumReason)
    }

    mutating func flag(_ field: StaticString) throws(WireError) -> Bool {
        let value = try uint8(field)
        guard value <= 1 else { throw WireError(.invalidField, "\(field) is neither 0 nor 1") }
        return value == 1
    }
}

/// The value of a field that must have come.
func required<Value>(_ value: Value?, _ field: StaticString) throws(WireError) -> Value {
    guard let value else { throw WireError(.missingField, "\(field)") }
    return value
}
