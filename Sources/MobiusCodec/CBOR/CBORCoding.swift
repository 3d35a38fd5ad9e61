/// CBOR (RFC 8949): what JSON says and more, in fewer bytes and less time, for programs that nobody needs to read over the
/// shoulder.
///
/// Values are written as ``JSONCoding`` writes them, object for map and array for array, with lengths that are said in advance
/// and every number in the shortest form that holds its value exactly. What CBOR has a form for takes it:
///
/// - `Data` is a byte string; a `UUID` 16 bytes (tag 37), a `URL` its text (tag 32).
/// - A `Date` is its seconds since 1970 (tag 1), an integer or a floating-point number. Where that would not be the same date
///   again, it is extended time (tag 1001, RFC 9581), a bigfloat.
/// - A `Decimal` is a decimal fraction (tag 4).
/// - Integers beyond 64 bits are bignums (tags 2 and 3). NaN and infinity are numbers like others.
/// - A key that is an integer is written as one: of `[Int: V]`, and of enums with integers as raw values. Any other key is text.
///
/// Bytes of others may hold what the RFC allows: indefinite lengths, longer heads than necessary, any order and any tags, of
/// which those that are not named here mean nothing. A number is read as any type that holds it exactly, floating-point ones as the
/// nearest. Of members with the same key the first one counts, as in JSON; members that a type does not ask for are passed over.
/// Values may be nested 512 deep, where a date or decimal counts as two.
public struct CBORCoding<Value: Codable>: PayloadCoding {
    private let deterministic: Bool
    private let userInfo: [CodingUserInfoKey: any Sendable]

    /// Makes the coding of `Value`.
    ///
    /// - Parameters:
    ///   - type: The type of the values.
    ///   - deterministic: Whether equal values give equal bytes, as a snapshot's hash needs it: members stand in the bytewise
    ///     order of their keys (RFC 8949, section 4.2.1).
    ///   - userInfo: What the types' own `encode(to:)` and `init(from:)` find in their coder.
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

    /// Refuses what nobody could read again.
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
            throw CodingFailure(.decoding, Value.self, error, form: "CBOR")
        }
    }

    /// Reads one data item, and throws a `DecodingError`, or an error of the type's own.
    package func value(of bytes: RawSpan, scratch: inout CodingScratch) throws -> Value {
        let machine = scratch.decoder(userInfo: userInfo)
        defer { machine.end() }
        return try bytes.withUnsafeBytes { buffer in
            try machine.begin(buffer, isBinary: true)
            return try machine.value(DecodingMachine.root)
        }
    }
}
