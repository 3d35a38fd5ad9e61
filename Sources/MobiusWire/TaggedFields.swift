// The tagged fields of HELLO and WELCOME: a reader skips the tags it does not know, so later versions can add some.

extension ByteWriter {
    /// The bytes of a field beside its value's.
    static let fieldOverhead = 5

    mutating func field(_ tag: UInt8, _ write: (inout ByteWriter) -> Void) {
        uint8(tag)
        block(write)
    }
}

extension ByteReader {
    /// Calls `read` with the tag and value of each field up to the end.
    ///
    /// `read` answers whether it knows the tag, and then must have read the whole value.
    mutating func fields(_ read: (UInt8, inout ByteReader) throws(WireError) -> Bool) throws(WireError) {
        while remaining > 0 {
            let tag = try uint8("tag")
            var value = try nested("field")
            if try read(tag, &value) { try value.end("field") }
        }
    }
}
