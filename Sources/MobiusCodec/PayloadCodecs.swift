/// All codings that a type has, found by their content types: JSON of any, and ``FastCodec`` of one that conforms.
///
/// So payloads of one coding remain readable after a program has changed to another.
package struct PayloadCodecs<Value: Codable>: Sendable {
    private let all: [any PayloadCodec<Value>]

    /// Makes the codings of `Value`.
    ///
    /// - Parameters:
    ///   - type: The type of the values.
    ///   - deterministic: Whether equal values give equal bytes.
    package init(_ type: Value.Type = Value.self, deterministic: Bool = false) {
        all = [JSONCodec(type, sortedKeys: deterministic)] + [Self.fast(deterministic)].compactMap(\.self)
    }

    private init(_ all: [any PayloadCodec<Value>]) { self.all = all }

    /// Returns the results of `change` for all codings.
    package func map(_ change: (any PayloadCodec<Value>) -> any PayloadCodec<Value>) -> Self { Self(all.map(change)) }

    /// The content types, the default first.
    package var contentTypes: [String] { all.map(\.contentType) }

    /// The coding of a content type; `nil` if the type does not have it.
    package subscript(contentType: String) -> (any PayloadCodec<Value>)? {
        all.first { $0.contentType == contentType }
    }

    private static func fast(_ deterministic: Bool) -> (any PayloadCodec<Value>)? {
        func coding<Payload: FastPayload>(_ type: Payload.Type) -> Any {
            FastCodec(type, deterministic: deterministic)
        }
        return (Value.self as? any FastPayload.Type).flatMap { coding($0) as? any PayloadCodec<Value> }
    }
}
