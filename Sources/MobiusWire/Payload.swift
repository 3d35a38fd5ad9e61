/// The kind of a payload: the type of the value, the version of its schema, and the coding of its bytes.
public struct PayloadKind: Hashable, Sendable {
    /// JSON, the default coding.
    public static let jsonContentType = "application/json"
    /// The content type of values whose types conform to `FastPayload`.
    public static let fastContentType = "application/vnd.mobius.fast"
    static let knownContentTypes = [jsonContentType, fastContentType]

    /// Every payload and record holds a kind, and many threads copy them: one reference to count instead of two strings'.
    private let content: Content

    private final class Content: Sendable {
        let type: String
        let version: UInt16
        let contentType: String
        /// Of all of that: a program has several kinds that differ in their coding only, and each payload is compared with them.
        let hash: Int

        init(type: String, version: UInt16, contentType: String) {
            self.type = type
            self.version = version
            self.contentType = contentType
            var hasher = Hasher()
            hasher.combine(type)
            hasher.combine(version)
            hasher.combine(contentType)
            hash = hasher.finalize()
        }
    }

    /// Describes payload bytes.
    public init(type: String, version: UInt16 = 1, contentType: String = PayloadKind.jsonContentType) {
        content = Content(type: type, version: version, contentType: contentType)
    }

    /// The value's type, named by its program, such as `Greeter.Event`.
    public var type: String { content.type }
    /// The version of that type's schema, from 1.
    public var version: UInt16 { content.version }
    /// The coding of the bytes, as a media type.
    public var contentType: String { content.contentType }

    // Where it is stored: a string that is handed out is counted.
    /// Whether both have the same content type.
    package func isCoded(as other: PayloadKind) -> Bool { content.contentType == other.content.contentType }

    /// The same for all copies of this one, while there is one.
    package var identity: ObjectIdentifier { ObjectIdentifier(content) }

    /// Whether both say the same; that is seen at once where one is a copy of the other.
    public static func == (lhs: PayloadKind, rhs: PayloadKind) -> Bool {
        lhs.content === rhs.content
            || lhs.content.hash == rhs.content.hash && lhs.version == rhs.version && lhs.type == rhs.type
                && lhs.contentType == rhs.contentType
    }

    /// Feeds the kind's parts to the hasher.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(content.hash)
    }
}

/// A value as bytes: opaque to the wire, the engine and the journal, which carry it unchanged.
///
/// The bytes may hold users' data, so `description` shows their number only.
public struct Payload: Hashable, Sendable, CustomStringConvertible {
    /// The kind of the bytes.
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
