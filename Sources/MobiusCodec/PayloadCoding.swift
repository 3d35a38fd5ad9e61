/// How values of one type become payload bytes: the port behind which every coding stands.
///
/// A coding is made once per type, when a program registers, and then called for every message by any thread, several
/// at a time. Encoding appends to a buffer of the caller's and decoding views the received bytes in place, so a coding
/// needs to copy nothing.
public protocol PayloadCoding<Value>: Sendable {
    /// The type it codes.
    associatedtype Value

    /// The media type of its bytes, such as `application/json`.
    var contentType: String { get }

    /// Appends the value's bytes to `buffer`.
    ///
    /// - Parameters:
    ///   - value: What is to be coded.
    ///   - buffer: Where its bytes go, behind those that are there.
    ///   - scratch: Memory to work in, for one thread at a time; its content means nothing between calls.
    /// - Throws: ``CodingFailure`` when the value has no such form, for example a NaN in JSON. `buffer` is unchanged then.
    func encode(_ value: borrowing Value, into buffer: inout [UInt8], scratch: inout CodingScratch)
        throws(CodingFailure)

    /// Makes a value of bytes that ``encode(_:into:scratch:)`` wrote, or that somebody made up.
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
