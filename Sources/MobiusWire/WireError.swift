/// The reason why bytes are not a message of this protocol.
public struct WireError: Error, Hashable, CustomStringConvertible {
    /// The kind of an error; more codes may come, so match with a default.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The code's name.
        public let description: String

        private init(_ name: String) {
            description = name
        }

        /// The first two bytes are not this protocol's.
        public static let notOurs = Code("notOurs")
        /// A version that this build does not speak.
        public static let unsupportedVersion = Code("unsupportedVersion")
        /// A command that this version does not know, or that the other side must not send.
        public static let unknownCommand = Code("unknownCommand")
        /// The bytes end inside a field.
        public static let truncated = Code("truncated")
        /// Bytes follow the end of the message.
        public static let trailingBytes = Code("trailingBytes")
        /// A field holds what its grammar does not allow.
        public static let invalidField = Code("invalidField")
        /// A required field is missing.
        public static let missingField = Code("missingField")
    }

    /// The kind of the error.
    public let code: Code
    /// Where: the name of a field or command, never bytes of a payload.
    public let detail: String

    /// Makes an error.
    public init(_ code: Code, _ detail: String) {
        self.code = code
        self.detail = detail
    }

    /// `code: detail`.
    public var description: String { "\(code): \(detail)" }
}
