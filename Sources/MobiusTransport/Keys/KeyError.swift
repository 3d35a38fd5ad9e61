/// The reason why a key, an allow-list or an endpoint cannot be used.
public struct KeyError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of error; codes may be added, so match with a default.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The code's name.
        public let description: String

        private init(_ name: String) {
            description = name
        }

        /// The file does not exist, or cannot be read or written.
        public static let file = Code("file")
        /// Other users than its owner may read or change it.
        public static let exposed = Code("exposed")
        /// The file's content is invalid; the message names the line.
        public static let malformed = Code("malformed")
        /// The endpoint can be reached from other hosts, and there is no key.
        public static let unprotected = Code("unprotected")
        /// The name is taken.
        public static let exists = Code("exists")
        /// There is no such name.
        public static let unknown = Code("unknown")
    }

    /// The kind of error.
    public let code: Code
    /// A message with what to do; never a secret.
    public let message: String

    /// Makes an error.
    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// The message.
    public var description: String { message }
}
