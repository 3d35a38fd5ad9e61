// Skipping unknown fields.
extension PayloadReader {
    /// Steps over the rest of a record.
    @usableFromInline
    @inline(never)
    mutating func skipFields() throws {
        // A type without a case may read a record that has one.
        if next == fields, next < end, next.pointee == FastForm.caseMark { _ = try readCase() }
        while true {
            let tag = try tag()
            if tag.number == 0 { return }
            try skip(tag.kind)
        }
    }

    /// Steps over content of a kind.
    mutating func skip(_ kind: FastKind) throws {
        if let size = kind.size { return try skip(size) }
        switch kind {
        case .unsigned, .signed: _ = try wideVarint()
        case .text, .bytes: _ = try counted()
        case .record: try skipRecord()
        case .list: try skipElements(of: try elementKind(), nil)
        case .map: try skipElements(of: try elementKind(), try elementKind())
        default: throw failure("it is of a kind that is not known")
        }
    }

    private mutating func skip(_ count: Int) throws {
        guard count <= remaining else { throw truncated() }
        next += count
    }

    private mutating func skipRecord() throws {
        try enter()
        let outer = fields
        fields = next
        try skipFields()
        fields = outer
        depth -= 1
    }

    private mutating func skipElements(of kind: FastKind, _ other: FastKind?) throws {
        try enter()
        let count = try count()
        if let size = kind.size, other == nil {
            let (bytes, isTooMuch) = size.multipliedReportingOverflow(by: count)
            guard !isTooMuch else { throw truncated() }
            try skip(bytes)
        } else {
            for _ in 0..<count {
                try skip(kind)
                if let other { try skip(other) }
            }
        }
        depth -= 1
    }

    /// The kind of a list's elements, of a map's keys or values.
    @inlinable
    mutating func elementKind() throws -> FastKind {
        let byte = try byte()
        guard byte <= FastKind.uuid.rawValue else { throw failure("it is of a kind that is not known") }
        return FastKind(byte)
    }
}

extension FastKind {
    /// The number of bytes of every content of the kind; `nil` when contents differ.
    var size: Int? {
        switch self {
        case .bool: 1
        case .float: 4
        case .double, .date: 8
        case .uuid: 16
        default: nil
        }
    }
}
