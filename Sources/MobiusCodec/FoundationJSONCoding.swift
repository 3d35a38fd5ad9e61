import Foundation

/// JSON by Foundation's coders: the first coding, and the one that others are compared with.
///
/// Object keys are sorted on request only, because sorting costs time: ask for it where equal values must give equal
/// bytes, as for a snapshot's hash.
public struct FoundationJSONCoding<Value: Codable>: PayloadCoding {
    private let encoder: JSONEncoder
    private let decoder: JSONDecoder

    /// Makes the coding of `Value`.
    ///
    /// - Parameter sortedKeys: whether equal values give equal bytes.
    public init(_ type: Value.Type = Value.self, sortedKeys: Bool = false) {
        encoder = JSONEncoder()
        encoder.outputFormatting = sortedKeys ? [.sortedKeys, .withoutEscapingSlashes] : .withoutEscapingSlashes
        decoder = JSONDecoder()
    }

    /// `application/json`.
    public var contentType: String { "application/json" }

    /// Appends the value as JSON (RFC 8259).
    public func encode(
        _ value: borrowing Value, into buffer: inout [UInt8], scratch: inout CodingScratch
    ) throws(CodingFailure) {
        do {
            buffer.append(contentsOf: try encoder.encode(copy value))
        } catch {
            throw Self.failure(.encoding, error)
        }
    }

    /// Reads one JSON value.
    public func decode(_ bytes: RawSpan, scratch: inout CodingScratch) throws(CodingFailure) -> Value {
        let data = bytes.withUnsafeBytes { Data($0) }
        do {
            return try decoder.decode(Value.self, from: data)
        } catch {
            throw Self.failure(.decoding, error)
        }
    }

    /// Foundation's errors without what they quote of the payload.
    private static func failure(_ operation: CodingFailure.Operation, _ error: any Error) -> CodingFailure {
        let (path, reason): ([any CodingKey], String) =
            switch error {
            case DecodingError.typeMismatch(let type, let context): (context.codingPath, "it is no \(type)")
            case DecodingError.valueNotFound(let type, let context): (context.codingPath, "a \(type) is missing")
            case DecodingError.keyNotFound(let key, let context):
                (context.codingPath, "the key \(key.stringValue) is missing")
            case DecodingError.dataCorrupted(let context): (context.codingPath, "it is not valid")
            case EncodingError.invalidValue(_, let context): (context.codingPath, "the value has no form in JSON")
            default: ([], "the type's own coding failed with \(type(of: error))")
            }
        return CodingFailure(
            operation, type: "\(Value.self)", path: path.map(\.stringValue).joined(separator: "."), reason: reason)
    }
}
