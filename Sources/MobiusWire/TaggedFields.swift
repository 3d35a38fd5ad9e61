// Tagged fields, of which a reader skips the tags that it does not know, so that later versions can add some.

private let endOfFields: UInt8 = 0

extension ByteWriter {
    /// The bytes of a field beside its value's.
    static let fieldOverhead = 5

    /// Writes a field; tags count from 1.
    mutating func field(_ tag: UInt8, _ write: (inout ByteWriter) -> Void) {
        uint8(tag)
        block(write)
    }

    /// Marks the end of a message's fields, so that a message that was cut off between two of them is not another one.
    ///
    /// The fields of a field's value need no mark: their number of bytes stands ahead of them.
    mutating func endFields() {
        uint8(endOfFields)
    }
}

extension WireReader {
    /// Calls `read` with the tag and value of each field up to the end.
    ///
    /// `read` answers whether it knows the tag, and then must have read the whole value.
    mutating func fields(_ read: (UInt8, inout WireReader) throws(WireError) -> Bool) throws(WireError) {
        while remaining > 0 {
            let tag = try uint8("tag")
            guard tag != endOfFields else { throw WireError(.invalidField, "tags count from 1") }
            try field(tag, read)
        }
    }

    /// Calls `read` with the tag and value of each field up to the mark behind the last one; see ``fields(_:)``.
    mutating func endedFields(_ read: (UInt8, inout WireReader) throws(WireError) -> Bool) throws(WireError) {
        while true {
            let tag = try uint8("end of fields")
            if tag == endOfFields { return }
            try field(tag, read)
        }
    }

    private mutating func field(
        _ tag: UInt8, _ read: (UInt8, inout WireReader) throws(WireError) -> Bool
    ) throws(WireError) {
        var value = try nested("field")
        if try read(tag, &value) { try value.end("field") }
    }
}
