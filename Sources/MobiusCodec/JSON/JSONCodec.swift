/// JSON (RFC 8259), many times faster than Foundation's coders: the default coding of programs.
///
/// It writes what `JSONEncoder` writes without escaping slashes and reads what `JSONDecoder` reads, both with their
/// default strategies: a `Date` is its seconds since 2001, `Data` is Base64, a `URL` its text, a `Decimal` a number.
/// Members are in the order in which a type encodes them, unless keys are sorted. NaN and infinity are errors.
///
/// Errors have the kind and the path of Foundation's. `Tests/run agreement` compares both coders on values of drawn types
/// and on bytes with mistakes. The only differences, which are intended, are these:
///
/// | | ours | Foundation's |
/// | --- | --- | --- |
/// | slashes in texts | as they are | escaped, unless told otherwise |
/// | integers written as `1e38` or `2.50e1` | exact, at every size; a number that is none is refused | through a double or decimal: some are rounded, large ones refused |
/// | containers within containers | 512 levels are written and read | 511 are written, 512 read |
/// | UTF-16 and UTF-32 | refused | read |
/// | keys that are one number, as `"2"` and `"02"` in an `[Int: V]` | the last one counts | any one of them |
/// | several mistakes in a dictionary | the first one is reported | any one of them |
/// | path of an encoding error | names containers within containers | leaves them out |
/// | `intValue` of a path's keys | places in arrays only | also names of dictionaries that are numbers |
///
/// A type that uses containers out of order, such as two at once, is encoded by Foundation, at its speed. A type's own
/// `init(from:)` must handle hostile values itself: Foundation's `IndexSet` traps on some.
public struct JSONCodec<Value: Codable>: PayloadCodec {
    private let sortedKeys: Bool
    private let userInfo: [CodingUserInfoKey: any Sendable]

    /// Makes the coding of `Value`.
    ///
    /// - Parameters:
    ///   - type: The type of the values.
    ///   - sortedKeys: Whether equal values give equal bytes, for a snapshot's hash: members are in the order of their
    ///     keys' UTF-8.
    ///   - userInfo: The values that the types' own `encode(to:)` and `init(from:)` find in their coder.
    public init(
        _ type: Value.Type = Value.self, sortedKeys: Bool = false,
        userInfo: [CodingUserInfoKey: any Sendable] = [:]
    ) {
        self.sortedKeys = sortedKeys
        self.userInfo = userInfo
    }

    /// `application/json`.
    public var contentType: String { "application/json" }

    /// Appends the value as JSON.
    public func encode(
        _ value: borrowing Value, into buffer: inout [UInt8], scratch: inout CodingScratch
    ) throws(CodingFailure) {
        do {
            try append(value, to: &buffer, scratch: &scratch)
        } catch {
            throw CodingFailure(.encoding, Value.self, error, form: "JSON")
        }
    }

    /// Appends the value as JSON, and throws what `JSONEncoder` would throw: an `EncodingError`, or an error of the type's own.
    package func append(_ value: borrowing Value, to buffer: inout [UInt8], scratch: inout CodingScratch) throws {
        if let bytes = try scratch.encoder(sortedKeys: sortedKeys, userInfo: userInfo).encode(copy value) {
            buffer.append(written: bytes)
        } else {
            try appendSlowly(value, to: &buffer)
        }
    }

    @inline(never)
    private func appendSlowly(_ value: borrowing Value, to buffer: inout [UInt8]) throws {
        let slow = FoundationJSONCodec(Value.self, sortedKeys: sortedKeys, userInfo: userInfo)
        buffer.append(contentsOf: try slow.data(of: value))
    }

    /// Reads one JSON value.
    public func decode(_ bytes: RawSpan, scratch: inout CodingScratch) throws(CodingFailure) -> Value {
        do {
            return try value(of: bytes, scratch: &scratch)
        } catch {
            throw CodingFailure(.decoding, Value.self, error, form: "JSON", explained: scratch.explanation)
        }
    }

    /// Reads one JSON value, and throws what `JSONDecoder` would throw: a `DecodingError`, or an error of the type's own.
    package func value(of bytes: RawSpan, scratch: inout CodingScratch) throws -> Value {
        let machine = scratch.decoder(userInfo: userInfo)
        defer { machine.end() }
        return try bytes.withUnsafeBytes { buffer in
            try machine.begin(buffer)
            do {
                return try machine.value(DecodingMachine.root)
            } catch {
                machine.explain(error)
                throw error
            }
        }
    }
}
