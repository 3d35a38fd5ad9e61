public import Foundation

extension String: FastPayload {
    /// UTF-8.
    @inlinable public static var fastKind: FastKind { .text }

    /// Writes the text as UTF-8.
    @inlinable
    public func encode(to writer: inout PayloadWriter) {
        writer.putText(self)
    }

    /// Reads a text, which must be valid UTF-8.
    @inlinable
    public init(from reader: inout PayloadReader) throws {
        guard reader.kind == .text else { throw reader.mismatch(Self.self) }
        self = try reader.text()
    }
}

extension Data: FastPayload {
    /// Bytes.
    @inlinable public static var fastKind: FastKind { .bytes }

    /// Writes the bytes.
    @inlinable
    public func encode(to writer: inout PayloadWriter) {
        withUnsafeBytes { writer.putBytes($0) }
    }

    /// Reads bytes.
    @inlinable
    public init(from reader: inout PayloadReader) throws {
        guard reader.kind == .bytes else { throw reader.mismatch(Self.self) }
        self.init(buffer: try reader.counted())
    }
}

extension URL: FastPayload {
    /// A text.
    public static var fastKind: FastKind { .text }

    /// Writes the absolute address.
    public func encode(to writer: inout PayloadWriter) {
        writer.putText(absoluteString)
    }

    /// Reads an address.
    public init(from reader: inout PayloadReader) throws {
        guard let url = URL(string: try String(from: &reader)) else { throw reader.failure("a URL is not valid") }
        self = url
    }
}

extension Decimal: FastPayload {
    /// A text.
    public static var fastKind: FastKind { .text }

    /// Writes the digits.
    public func encode(to writer: inout PayloadWriter) {
        writer.putText(description)
    }

    /// Reads digits.
    public init(from reader: inout PayloadReader) throws {
        let text = try String(from: &reader)
        // `Decimal(string:)` takes anything that begins with a number; what it writes itself is the number alone.
        guard let decimal = Decimal(string: text), decimal.description == text else {
            throw reader.failure("a Decimal is not valid")
        }
        self = decimal
    }
}
