// Finding fields, and entering records.
extension PayloadReader {
    /// Goes to the content of a field; `false` when the record has none of this number.
    @inlinable
    mutating func seek(_ number: Int) throws -> Bool {
        // The next field is nearly always the one, and its tag one byte.
        if number < 8, number > last, next < end, next.pointee >> 4 == UInt8(truncatingIfNeeded: number) {
            kind = FastKind(next.pointee & 0xf)
            next += 1
            last = number
            return true
        }
        return try search(number)
    }

    @usableFromInline
    @inline(never)
    mutating func search(_ number: Int) throws -> Bool {
        guard number >= 1, number <= FastForm.maximumNumber else { throw failure("the number of a field cannot be") }
        if number <= last { next = fields }
        last = number
        while true {
            let tagPlace = next
            let tag = try tag()
            if tag.number == number {
                kind = tag.kind
                return true
            }
            guard tag.number != 0, tag.number < number else {
                next = tagPlace
                return false
            }
            try skip(tag.kind)
        }
    }

    /// Reads what stands before a field; the number is 0 at the record's end.
    mutating func tag() throws -> (number: Int, kind: FastKind) {
        let tag = try varint()
        guard tag >= 16 else {
            if tag == FastForm.end { return (0, .record) }
            let isCase = tag == FastForm.caseMark
            throw failure(isCase ? "the number of a case stands where none is expected" : "a field has no number")
        }
        guard tag >> 4 <= FastForm.maximumNumber else { throw failure("the number of a field cannot be") }
        return (Int(tag >> 4), FastKind(UInt8(truncatingIfNeeded: tag & 0xf)))
    }

    /// Reads the content of the field that ``seek(_:)`` found.
    @inlinable
    mutating func field<Value: FastPayload>(_ number: Int) throws -> Value {
        let outer = (fields, depth)
        do {
            return try value()
        } catch {
            // If the caller ignores the error, it still finds the other fields.
            (fields, depth) = outer
            next = fields
            last = 0
            throw located(error, number)
        }
    }

    /// Reads content of the kind at hand.
    @inlinable
    mutating func value<Value: FastPayload>(_ type: Value.Type = Value.self) throws -> Value {
        guard Value.fastKind == .record else { return try Value(from: &self) }
        guard kind == .record else { throw mismatch(Value.self) }
        let outer = (fields, last)
        try enter()
        fields = next
        last = 0
        let value = try Value(from: &self)
        try leaveRecord()
        (fields, last) = outer
        return value
    }

    @inlinable
    mutating func enter() throws {
        depth += 1
        if depth > FastForm.maximumDepth { throw failure("it is nested too deeply") }
    }

    /// Skips unread fields, to the end of the record.
    @inlinable
    mutating func leaveRecord() throws {
        depth -= 1
        if next < end, next.pointee == FastForm.end {
            next += 1
        } else {
            try skipFields()
        }
    }
}
