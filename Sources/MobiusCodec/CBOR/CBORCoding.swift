/// CBOR (RFC 8949): JSON's values and more in fewer bytes and less time.
public struct CBORCoding<Value: Codable>: PayloadCoding {
    private let deterministic: Bool

    /// Makes the coding of `Value`.
    ///
    /// - Parameters:
    ///   - type: The type of the values.
    ///   - deterministic: Whether equal values give equal bytes, as a snapshot's hash needs it (RFC 8949, section 4.2.1).
    public init(_ type: Value.Type = Value.self, deterministic: Bool = false) {
        self.deterministic = deterministic
    }

    /// `application/cbor`.
    public var contentType: String { "application/cbor" }

    /// Appends the value as CBOR.
    public func encode(
        _ value: borrowing Value, into buffer: inout [UInt8], scratch: inout CodingScratch
    ) throws(CodingFailure) {
        let machine = scratch.encoder(sortedKeys: deterministic)
        do {
            if let bytes = try machine.encode(copy value, isBinary: true) {
                buffer.append(contentsOf: bytes)
                return
            }
        } catch {
            throw CodingFailure(.encoding, Value.self, error, form: "CBOR")
        }
        throw CodingFailure(.encoding, type: "\(Value.self)", reason: "it uses its containers out of order")
    }

    /// Reads one CBOR data item.
    public func decode(_ bytes: RawSpan, scratch: inout CodingScratch) throws(CodingFailure) -> Value {
        do {
            return try value(of: bytes, scratch: &scratch)
        } catch {
            throw CodingFailure(.decoding, Value.self, error, form: "CBOR")
        }
    }

    /// Reads one data item, and throws a `DecodingError`, or an error of the type's own.
    package func value(of bytes: RawSpan, scratch: inout CodingScratch) throws -> Value {
        let machine = scratch.decoder()
        defer { machine.end() }
        return try bytes.withUnsafeBytes { buffer in
            try machine.begin(buffer, isBinary: true)
            return try machine.value(DecodingMachine.root)
        }
    }
}
