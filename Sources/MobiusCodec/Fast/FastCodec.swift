/// The coding of types that conform to ``FastPayload``: compact and fast.
///
/// A payload is one byte with the kind of the value, and its content. ``FastKind`` describes each kind. Structs and
/// enums are records: for an enum the byte 1 and the number of the case; then the fields, each a tag and its content;
/// then the byte 0. A tag is sixteen times the field's number plus the kind, so that tags of the numbers from 1 to 7
/// are one byte. Counts, tags and numbers of cases are LEB128. Fields are in ascending order of their numbers.
///
/// Tags, contents and zigzag are those of Protocol Buffers' wire format; the kinds are more specific, so that the bytes
/// can be shown without the type: see ``FastText``.
public struct FastCodec<Value: FastPayload>: PayloadCodec {
    @usableFromInline let isDeterministic: Bool

    /// Makes the coding of `Value`.
    ///
    /// - Parameters:
    ///   - type: The type of the values.
    ///   - deterministic: Whether equal values give equal bytes, for a snapshot's hash: sets and dictionaries are
    ///     sorted by their bytes.
    @inlinable
    public init(_ type: Value.Type = Value.self, deterministic: Bool = false) {
        isDeterministic = deterministic
    }

    /// `application/vnd.mobius.fast`.
    public var contentType: String { FastText.contentType }

    /// Appends the value's bytes.
    ///
    /// - Throws: ``CodingFailure`` when a conformance writes fields out of order, or values lie more than 512 deep.
    @inlinable
    public func encode(
        _ value: borrowing Value, into buffer: inout [UInt8], scratch: inout CodingScratch
    ) throws(CodingFailure) {
        var writer = PayloadWriter(memory: scratch.takeMemory(), isDeterministic: isDeterministic)
        writer.putByte(Value.fastKind.rawValue)
        writer.put(value)
        let fault = writer.fault
        if fault == nil { buffer.append(written: writer.content) }
        scratch.giveBack(writer.memory)
        if let fault { throw Self.failure(fault) }
    }

    /// Reads one value, in at most the memory that it needs.
    @inlinable
    public func decode(_ bytes: RawSpan, scratch: inout CodingScratch) throws(CodingFailure) -> Value {
        do {
            return try bytes.withUnsafeBytes { buffer in
                var reader = PayloadReader(buffer)
                return try reader.whole()
            }
        } catch {
            throw Self.failure(error)
        }
    }

    @usableFromInline
    static func failure(_ fault: PayloadWriter.Fault) -> CodingFailure {
        CodingFailure(.encoding, type: "\(Value.self)", reason: fault.reason)
    }

    @usableFromInline
    static func failure(_ error: any Error) -> CodingFailure {
        guard let failure = error as? FastFailure else {
            return CodingFailure(.decoding, Value.self, error, form: "FastPayload")
        }
        return CodingFailure(
            .decoding, type: "\(Value.self)", path: failure.path.reversed().map(String.init).joined(separator: "."),
            reason: failure.reason)
    }
}

extension PayloadReader {
    /// A payload.
    @inlinable
    mutating func whole<Value: FastPayload>() throws -> Value {
        kind = try elementKind()
        let value: Value = try value()
        guard next == end else { throw failure("there are bytes behind the value") }
        return value
    }
}
