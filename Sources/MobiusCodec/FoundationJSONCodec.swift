import Foundation

/// JSON by Foundation's coders: the reference for ``JSONCodec``, which uses it for rare types.
///
/// Object keys are sorted on request only, because sorting costs time: use it where equal values must give equal bytes,
/// as for a snapshot's hash.
public struct FoundationJSONCodec<Value: Codable>: PayloadCodec {
    private let encoder: JSONEncoder
    private let decoder: JSONDecoder

    /// Makes the coding of `Value`.
    ///
    /// - Parameters:
    ///   - type: The type of the values.
    ///   - sortedKeys: Whether equal values give equal bytes.
    ///   - userInfo: The values that the types' own `encode(to:)` and `init(from:)` find in their coder.
    public init(
        _ type: Value.Type = Value.self, sortedKeys: Bool = false,
        userInfo: [CodingUserInfoKey: any Sendable] = [:]
    ) {
        encoder = JSONEncoder()
        encoder.userInfo = userInfo
        encoder.outputFormatting = sortedKeys ? [.sortedKeys, .withoutEscapingSlashes] : .withoutEscapingSlashes
        decoder = JSONDecoder()
        decoder.userInfo = userInfo
    }

    /// `application/json`.
    public var contentType: String { "application/json" }

    /// Appends the value as JSON (RFC 8259).
    public func encode(
        _ value: borrowing Value, into buffer: inout [UInt8], scratch: inout CodingScratch
    ) throws(CodingFailure) {
        do {
            buffer.append(contentsOf: try data(of: value))
        } catch {
            throw CodingFailure(.encoding, Value.self, error, form: "JSON")
        }
    }

    /// The value as JSON, and what the encoder throws.
    func data(of value: borrowing Value) throws -> Data { try encoder.encode(copy value) }

    /// Reads one JSON value.
    public func decode(_ bytes: RawSpan, scratch: inout CodingScratch) throws(CodingFailure) -> Value {
        let data = bytes.withUnsafeBytes { Data($0) }
        do {
            return try decoder.decode(Value.self, from: data)
        } catch {
            throw CodingFailure(.decoding, Value.self, error, form: "JSON")
        }
    }
}
