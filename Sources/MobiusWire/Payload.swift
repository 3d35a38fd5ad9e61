/// What a payload's bytes are: the type of the value, the version of its schema, and how it was coded.
public struct PayloadKind: Hashable, Sendable {
    /// JSON, the default coding.
    public static let jsonContentType = "application/json"
    /// CBOR.
    public static let cborContentType = "application/cbor"
    /// What types that conform to `FastPayload` write.
    public static let fastContentType = "application/vnd.mobius.fast"
    static let knownContentTypes = [jsonContentType, cborContentType, fastContentType]

    /// The value's type, named by its program, such as `Greeter.Event`.
    public let type: String
    /// The version of that type's schema, from 1.
    public let version: UInt16
    /// The coding of the bytes, as a media type.
    public let contentType: String

    /// Describes payload bytes.
    public init(type: String, version: UInt16 = 1, contentType: String = PayloadKind.jsonContentType) {
        self.type = type
        self.version = version
        self.contentType = contentType
    }
}

/// A value as bytes: opaque to the wire, the engine and the journal, which carry it unchanged.
///
/// The bytes may hold users' data, so `description` shows their number only.
public struct Payload: Hashable, Sendable, CustomStringConvertible {
    /// What the bytes are.
    public var kind: PayloadKind
    /// The coded value.
    public var bytes: [UInt8]

    /// Wraps coded bytes.
    public init(kind: PayloadKind, bytes: [UInt8]) {
        self.kind = kind
        self.bytes = bytes
    }

    /// The type, coding and size, never the content.
    public var description: String { "\(kind.type) (\(kind.contentType), \(bytes.count) bytes)" }
}
