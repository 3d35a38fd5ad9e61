/// The reason why a value could not be encoded or decoded.
///
/// The description names the type and the place, never contents of the payload, except names of keys that the type does not
/// know.
public struct CodingFailure: Error, CustomStringConvertible {
    /// An operation that can fail.
    public enum Operation: String, Sendable {
        /// Encoding a value.
        case encoding
        /// Decoding bytes.
        case decoding
    }

    /// The operation that failed.
    public let operation: Operation
    /// The type to encode or decode.
    public let type: String
    /// The keys that lead to the failing place, such as `fetched.status`; empty for the value itself.
    public let path: String
    /// The problem at that place.
    public let reason: String

    /// Describes a failure.
    public init(_ operation: Operation, type: String, path: String = "", reason: String) {
        self.operation = operation
        self.type = type
        self.path = path
        self.reason = reason
    }

    /// The message.
    public var description: String {
        "\(operation.rawValue) \(type) failed\(path.isEmpty ? "" : " at \(path)"): \(reason)"
    }

    /// An error of a coder of `form`, such as "JSON", without quotes of the payload.
    init(
        _ operation: Operation, _ type: any Any.Type, _ error: any Error, form: String,
        explained: DecodingMachine.Explanation? = nil
    ) {
        if let explained {
            self.init(
                operation, type: "\(type)", path: explained.path.joined(separator: "."), reason: explained.reason)
            return
        }
        let (path, reason): ([any CodingKey], String) =
            switch error {
            case DecodingError.typeMismatch(let type, let context):
                (context.codingPath, "it is no \(Self.name(of: type))")
            case DecodingError.valueNotFound(let type, let context): (context.codingPath, "a \(type) is missing")
            case DecodingError.keyNotFound(let key, let context):
                (context.codingPath, "the key \(key.stringValue) is missing")
            case DecodingError.dataCorrupted(let context):
                (context.codingPath, Self.reason(of: context.underlyingError, form))
            case EncodingError.invalidValue(_, let context): (context.codingPath, "the value has no form in \(form)")
            default: ([], "the type's own coding failed with \(Swift.type(of: error))")
            }
        self.init(
            operation, type: "\(type)", path: path.map(\.stringValue).joined(separator: "."), reason: reason)
    }

    /// A type's name for people: what a decoder calls `[String: Any]` is an object.
    private static func name(of type: any Any.Type) -> String {
        switch type {
        case is [String: Any].Type: "object"
        case is [Any].Type: "array"
        default: "\(type)"
        }
    }

    private static func reason(of error: (any Error)?, _ form: String) -> String {
        (error as? MalformedBytes).map { "it is not valid \(form): \($0.reason)" } ?? "it is not valid"
    }
}
