/// A field that JSON leaves out while it is empty, and that is empty when it was left out: so records of earlier builds, which do not
/// know it, can be read.
@propertyWrapper
public struct Sparse<Value: SparseValue & Sendable>: Hashable, Sendable, Codable {
    /// The value.
    public var wrappedValue: Value

    /// Wraps a value.
    public init(wrappedValue: Value) {
        self.wrappedValue = wrappedValue
    }

    /// Reads a value that is there.
    public init(from decoder: any Decoder) throws {
        wrappedValue = try Value(from: decoder)
    }

    /// Writes the value as if it were not wrapped.
    public func encode(to encoder: any Encoder) throws {
        try wrappedValue.encode(to: encoder)
    }
}

/// A value that may be ``Sparse``.
public protocol SparseValue: Codable, Hashable {
    /// The value when it is left out.
    static var empty: Self { get }
}

extension String: SparseValue {
    /// No text.
    public static var empty: String { "" }
}

extension Bool: SparseValue {
    /// No.
    public static var empty: Bool { false }
}

extension UInt32: SparseValue {
    /// None.
    public static var empty: UInt32 { 0 }
}

// What the compiler writes for `Codable` calls these, because they fit better than those of the standard library.
extension KeyedEncodingContainer {
    mutating func encode<Value>(_ field: Sparse<Value>, forKey key: Key) throws {
        if field.wrappedValue != .empty { try encode(field.wrappedValue, forKey: key) }
    }
}

extension KeyedDecodingContainer {
    func decode<Value>(_ type: Sparse<Value>.Type, forKey key: Key) throws -> Sparse<Value> {
        Sparse(wrappedValue: try decodeIfPresent(Value.self, forKey: key) ?? .empty)
    }
}
