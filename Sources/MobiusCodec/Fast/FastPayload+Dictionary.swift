extension Dictionary: FastPayload where Key: FastPayload, Value: FastPayload {
    /// A map.
    @inlinable public static var fastKind: FastKind { .map }

    /// Writes keys with their values; in the order of their bytes where equal values must give equal bytes.
    @inlinable
    public func encode(to writer: inout PayloadWriter) {
        writer.putByte(Key.fastKind.rawValue)
        writer.putByte(Value.fastKind.rawValue)
        writer.putVarint(UInt64(count))
        var marks: [Int] = []
        if writer.enter() {
            for (key, value) in self {
                if writer.isDeterministic { marks.append(writer.next - writer.start) }
                writer.put(key)
                writer.put(value)
            }
        }
        writer.leave()
        writer.sort(marks)
    }

    /// Reads keys that differ, with their values.
    @inlinable
    public init(from reader: inout PayloadReader) throws {
        guard reader.kind == .map else { throw reader.mismatch(Self.self) }
        try reader.enter()
        let kinds = (try reader.elementKind(), try reader.elementKind())
        let count = try reader.count()
        let stride = MemoryLayout<Key>.stride + MemoryLayout<Value>.stride
        self.init(minimumCapacity: Swift.min(count, FastForm.claim / Swift.max(1, stride) + 1))
        for index in 0..<count {
            let key: Key = try reader.element(kinds.0, index)
            guard updateValue(try reader.element(kinds.1, index), forKey: key) == nil else {
                throw reader.failure("a key occurs twice")
            }
        }
        reader.depth -= 1
    }
}

extension Optional: FastPayload where Wrapped: FastPayload {
    /// A record; a field that is optional is left out instead.
    @inlinable public static var fastKind: FastKind { .record }

    /// Writes the value as the field 1, if there is one.
    @inlinable
    public func encode(to writer: inout PayloadWriter) {
        writer.write(self, at: 1)
    }

    /// Reads the field 1, if there is one.
    @inlinable
    public init(from reader: inout PayloadReader) throws {
        self = try reader.read(at: 1)
    }
}
