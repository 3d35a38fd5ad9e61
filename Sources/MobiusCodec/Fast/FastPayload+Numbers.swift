// Whole numbers read each other's bytes where the value fits, so that a field's type may change from one to another.

extension FastPayload where Self: FixedWidthInteger & SignedInteger {
    /// A whole number.
    @inlinable public static var fastKind: FastKind { .signed }

    /// Writes the number in as many bytes as it needs.
    @inlinable
    public func encode(to writer: inout PayloadWriter) {
        if Self.bitWidth <= 64 {
            writer.putZigzag(Int64(truncatingIfNeeded: self))
        } else {
            writer.putZigzag(Int128(self))
        }
    }
}

extension FastPayload where Self: FixedWidthInteger & UnsignedInteger {
    /// A whole number from 0.
    @inlinable public static var fastKind: FastKind { .unsigned }

    /// Writes the number in as many bytes as it needs.
    @inlinable
    public func encode(to writer: inout PayloadWriter) {
        if Self.bitWidth <= 64 {
            writer.putVarint(UInt64(truncatingIfNeeded: self))
        } else {
            writer.putVarint(UInt128(self))
        }
    }
}

extension FastPayload where Self: FixedWidthInteger {
    /// Reads any whole number that fits.
    @inlinable
    public init(from reader: inout PayloadReader) throws {
        self = try reader.integer()
    }
}

extension Int: FastPayload {}
extension Int8: FastPayload {}
extension Int16: FastPayload {}
extension Int32: FastPayload {}
extension Int64: FastPayload {}
extension Int128: FastPayload {}
extension UInt: FastPayload {}
extension UInt8: FastPayload {}
extension UInt16: FastPayload {}
extension UInt32: FastPayload {}
extension UInt64: FastPayload {}
extension UInt128: FastPayload {}

extension Bool: FastPayload {
    /// One byte.
    @inlinable public static var fastKind: FastKind { .bool }

    /// Writes 0 or 1.
    @inlinable
    public func encode(to writer: inout PayloadWriter) {
        writer.putByte(self ? 1 : 0)
    }

    /// Reads 0 or 1.
    @inlinable
    public init(from reader: inout PayloadReader) throws {
        guard reader.kind == .bool else { throw reader.mismatch(Self.self) }
        let byte = try reader.byte()
        guard byte < 2 else { throw reader.failure("a Bool is neither 0 nor 1") }
        self = byte == 1
    }
}

extension Double: FastPayload {
    /// Eight bytes.
    @inlinable public static var fastKind: FastKind { .double }

    /// Writes all bits, of a NaN too.
    @inlinable
    public func encode(to writer: inout PayloadWriter) {
        writer.putFixed(bitPattern)
    }

    /// Reads a `Double` or a `Float`.
    @inlinable
    public init(from reader: inout PayloadReader) throws {
        switch reader.kind {
        case .double: self.init(bitPattern: try reader.fixed())
        case .float: self.init(Float(bitPattern: try reader.fixed()))
        default: throw reader.mismatch(Self.self)
        }
    }
}

extension Float: FastPayload {
    /// Four bytes.
    @inlinable public static var fastKind: FastKind { .float }

    /// Writes all bits, of a NaN too.
    @inlinable
    public func encode(to writer: inout PayloadWriter) {
        writer.putFixed(bitPattern)
    }

    /// Reads a `Float`.
    @inlinable
    public init(from reader: inout PayloadReader) throws {
        guard reader.kind == .float else { throw reader.mismatch(Self.self) }
        self.init(bitPattern: try reader.fixed())
    }
}
