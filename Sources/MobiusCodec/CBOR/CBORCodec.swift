/// CBOR (RFC 8949): the values of JSON and more, in fewer bytes and less time, for payloads that people need not read.
///
/// Values are written as ``JSONCodec`` writes them, object for map and array for array, with definite lengths and
/// every number in the shortest form that holds its value exactly. These types have their own form:
///
/// - `Data` is a byte string; a `UUID` 16 bytes (tag 37), a `URL` its text (tag 32).
/// - A `Date` is its seconds since 1970 (tag 1), an integer or a floating-point number. If that is not exact, it is
///   extended time (tag 1001, RFC 9581), a bigfloat.
/// - A `Decimal` is a decimal fraction (tag 4).
/// - Integers beyond 64 bits are bignums (tags 2 and 3). NaN and infinity are ordinary numbers.
/// - A key that is an integer is written as one: of `[Int: V]`, and of enums with integers as raw values. Any other key is text.
///
/// Decoding accepts what the RFC allows: indefinite lengths, longer heads than necessary, any order and any tags; tags
/// that are not named here are ignored. A number is read as any type that holds it exactly, floating-point ones as the
/// nearest. Of members with the same key the first one counts, as in JSON; members that a type does not read are
/// skipped. Values may nest 512 levels deep, where a date or decimal counts as two.
public struct CBORCodec<Value: Codable>: PayloadCodec {
    private let deterministic: Bool
    private let userInfo: [CodingUserInfoKey: any Sendable]

    /// Makes the coding of `Value`.
    ///
    /// - Parameters:
    ///   - type: The type of the values.
    ///   - deterministic: Whether equal values give equal bytes, for a snapshot's hash: members are in the bytewise
    ///     order of their keys (RFC 8949, section 4.2.1).
    ///   - userInfo: The coder's `userInfo` for the types' own `encode(to:)` and `init(from:)`.
    public init(
        _ type: Value.Type = Value.self, deterministic: Bool = false,
        userInfo: [CodingUserInfoKey: any Sendable] = [:]
    ) {
        self.deterministic = deterministic
        self.userInfo = userInfo
    }

    /// `application/cbor`.
    public var contentType: String { CBORText.contentType }

    /// Appends the value as CBOR.
    public func encode(
        _ value: borrowing Value, into buffer: inout [UInt8], scratch: inout CodingScratch
    ) throws(CodingFailure) {
        let machine = scratch.encoder(sortedKeys: deterministic, userInfo: userInfo)
        do {
            if let bytes = try machine.encode(copy value, isBinary: true) {
                try Self.check(bytes.count, value)
                buffer.append(written: bytes)
            } else {
                let bytes = try CBORTree.encode(copy value, deterministic: deterministic, userInfo: userInfo)
                try Self.check(bytes.count, value)
                buffer.append(contentsOf: bytes)
            }
        } catch {
            throw CodingFailure(.encoding, Value.self, error, form: "CBOR")
        }
    }

    /// Refuses payloads that could not be decoded.
    private static func check(_ length: Int, _ value: borrowing Value) throws {
        guard length >= UInt32.max else { return }
        throw EncodingError.invalidValue(
            copy value, EncodingError.Context(codingPath: [], debugDescription: "It is longer than 4 GiB in CBOR."))
    }

    /// Reads one CBOR data item.
    public func decode(_ bytes: RawSpan, scratch: inout CodingScratch) throws(CodingFailure) -> Value {
        do {
            return try value(of: bytes, scratch: &scratch)
        } catch {
            throw CodingFailure(.decoding, Value.self, error, form: "CBOR", explained: scratch.explanation)
        }
    }

    /// Reads one data item, and throws a `DecodingError`, or an error of the type's own.
    package func value(of bytes: RawSpan, scratch: inout CodingScratch) throws -> Value {
        let machine = scratch.decoder(userInfo: userInfo)
        defer { machine.end() }
        return try bytes.withUnsafeBytes { buffer in
            try machine.begin(buffer, isBinary: true)
            do {
                return try machine.value(DecodingMachine.root)
            } catch {
                machine.explain(error)
                throw error
            }
        }
    }
}
