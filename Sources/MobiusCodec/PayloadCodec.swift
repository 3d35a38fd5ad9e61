/// The port of all codings: encodes values of one type as payload bytes, and decodes them.
///
/// A coding is made once per type, when a program registers, and then called for every message by any thread, several
/// at a time. Encoding appends to the caller's buffer and decoding reads the received bytes in place, so a coding need
/// not copy anything.
public protocol PayloadCodec<Value>: Sendable {
    /// The type it codes.
    associatedtype Value

    /// The media type of its bytes, such as `application/json`.
    var contentType: String { get }

    /// Appends the value's bytes to `buffer`.
    ///
    /// - Parameters:
    ///   - value: The value to encode.
    ///   - buffer: The buffer to which its bytes are appended.
    ///   - scratch: Working memory, for one thread at a time; its content is undefined between calls.
    /// - Throws: ``CodingFailure`` when the value cannot be encoded, for example a NaN in JSON. `buffer` is then
    ///   unchanged.
    func encode(_ value: borrowing Value, into buffer: inout [UInt8], scratch: inout CodingScratch)
        throws(CodingFailure)

    /// Decodes bytes of ``encode(_:into:scratch:)``, or any other bytes.
    ///
    /// - Throws: ``CodingFailure`` for any bytes that are not exactly one value.
    func decode(_ bytes: RawSpan, scratch: inout CodingScratch) throws(CodingFailure) -> Value
}

extension [UInt8] {
    /// Appends what a coding has written; an array that has no memory yet gets it in one go.
    @inlinable
    mutating func append(written bytes: UnsafeBufferPointer<UInt8>) {
        if capacity == 0 { self = Array(bytes) } else { append(contentsOf: bytes) }
    }
}
