extension Array: FastPayload where Element: FastPayload {
    /// A list, and bytes for an array of `UInt8`.
    @inlinable public static var fastKind: FastKind { Element.self == UInt8.self ? .bytes : .list }

    /// Writes the elements in their order.
    @inlinable
    public func encode(to writer: inout PayloadWriter) {
        if Element.self == UInt8.self { return withUnsafeBytes { writer.putBytes($0) } }
        writer.putList(self)
    }

    /// Reads elements.
    @inlinable
    public init(from reader: inout PayloadReader) throws {
        if Element.self == UInt8.self {
            guard reader.kind == .bytes else { throw reader.mismatch(Self.self) }
            self = unsafeBitCast([UInt8](try reader.counted()), to: Self.self)  // the same type, as was just seen
            return
        }
        self.init()
        let count = try reader.beginList(Self.self)
        reserveCapacity(Swift.min(count, FastForm.claim / Swift.max(1, MemoryLayout<Element>.stride) + 1))
        let kind = reader.kind
        for index in 0..<count { append(try reader.element(kind, index)) }
        reader.depth -= 1
    }
}

extension Set: FastPayload where Element: FastPayload {
    /// A list.
    @inlinable public static var fastKind: FastKind { .list }

    /// Writes the elements; in the order of their bytes where equal values must give equal bytes.
    @inlinable
    public func encode(to writer: inout PayloadWriter) {
        writer.isDeterministic ? writer.putSorted(self) : writer.putList(self)
    }

    /// Reads elements that differ.
    @inlinable
    public init(from reader: inout PayloadReader) throws {
        let count = try reader.beginList(Self.self)
        self.init(minimumCapacity: Swift.min(count, FastForm.claim / Swift.max(1, MemoryLayout<Element>.stride) + 1))
        let kind = reader.kind
        for index in 0..<count {
            guard insert(try reader.element(kind, index)).inserted else {
                throw reader.failure("an element occurs twice")
            }
        }
        reader.depth -= 1
    }
}

extension PayloadWriter {
    @inlinable
    mutating func putList<Elements: Collection>(_ elements: Elements) where Elements.Element: FastPayload {
        putByte(Elements.Element.fastKind.rawValue)
        putVarint(UInt64(elements.count))
        if enter() { for element in elements { put(element) } }
        leave()
    }

    @inlinable
    mutating func putSorted<Element: FastPayload>(_ elements: Set<Element>) {
        putByte(Element.fastKind.rawValue)
        putVarint(UInt64(elements.count))
        var marks: [Int] = []
        if enter() {
            for element in elements {
                marks.append(next - start)
                put(element)
            }
        }
        leave()
        sort(marks)
    }

    /// Brings what was written from each mark on to the next into the order of its bytes.
    @usableFromInline
    mutating func sort(_ marks: [Int]) {
        guard let first = marks.first, marks.count > 1 else { return }
        let written = Array(UnsafeBufferPointer(start: start + first, count: next - start - first))
        let ends = marks.dropFirst() + [first + written.count]
        let pieces = zip(marks, ends).map { written[($0 - first)..<($1 - first)] }
            .sorted { $0.lexicographicallyPrecedes($1) }
        next = start + first
        for piece in pieces {
            for byte in piece { putByte(byte) }
        }
    }
}

extension PayloadReader {
    /// Reads what stands before the elements of a list; the kind at hand is then theirs.
    @inlinable
    mutating func beginList(_ type: Any.Type) throws -> Int {
        guard kind == .list else { throw mismatch(type) }
        try enter()
        kind = try elementKind()
        return try count()
    }

    @inlinable
    mutating func element<Value: FastPayload>(_ kind: FastKind, _ index: Int) throws -> Value {
        do {
            self.kind = kind
            return try value()
        } catch {
            throw located(error, index)
        }
    }
}
