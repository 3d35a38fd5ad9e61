public import Foundation

extension Date: FastPayload {
    /// Seconds since the first moment of 2001 in UTC.
    @inlinable public static var fastKind: FastKind { .date }

    /// Writes all bits of the seconds.
    @inlinable
    public func encode(to writer: inout PayloadWriter) {
        writer.putFixed(timeIntervalSinceReferenceDate.bitPattern)
    }

    /// Reads a date.
    @inlinable
    public init(from reader: inout PayloadReader) throws {
        guard reader.kind == .date else { throw reader.mismatch(Self.self) }
        self.init(timeIntervalSinceReferenceDate: Double(bitPattern: try reader.fixed()))
    }
}

extension Duration: FastPayload {
    /// A whole number.
    public static var fastKind: FastKind { .signed }

    /// Writes the attoseconds.
    public func encode(to writer: inout PayloadWriter) {
        attoseconds.encode(to: &writer)
    }

    /// Reads attoseconds.
    public init(from reader: inout PayloadReader) throws {
        self.init(attoseconds: try Int128(from: &reader))
    }
}

extension UUID: FastPayload {
    /// Sixteen bytes.
    @inlinable public static var fastKind: FastKind { .uuid }

    /// Writes the bytes in the order of the text.
    @inlinable
    public func encode(to writer: inout PayloadWriter) {
        writer.putFixed(withUnsafeBytes(of: uuid) { $0.loadUnaligned(as: UInt128.self) }.littleEndian)
    }

    /// Reads sixteen bytes.
    @inlinable
    public init(from reader: inout PayloadReader) throws {
        guard reader.kind == .uuid else { throw reader.mismatch(Self.self) }
        let bits = try reader.fixed(UInt128.self).littleEndian
        self.init(uuid: withUnsafeBytes(of: bits) { $0.loadUnaligned(as: uuid_t.self) })
    }
}
