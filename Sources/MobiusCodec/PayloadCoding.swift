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
    /// - Parameter scratch: memory to work in, for one thread at a time; its content means nothing between calls.
    /// - Throws: ``CodingFailure`` when the value has no such form, for example a NaN in JSON. `buffer` is unchanged then.
    func encode(_ value: borrowing Value, into buffer: inout [UInt8], scratch: inout CodingScratch)
        throws(CodingFailure)

    /// Makes a value of bytes that ``encode(_:into:scratch:)`` wrote, or that somebody made up.
    ///
    /// - Throws: ``CodingFailure`` for any bytes that are not exactly one value.
    func decode(_ bytes: RawSpan, scratch: inout CodingScratch) throws(CodingFailure) -> Value
}

/// Memory that a coding may work in and that is kept from call to call.
public struct CodingScratch: Sendable {
    /// Bytes to use at will.
    public var bytes: [UInt8] = []

    /// Makes an empty scratch.
    public init() {}
}

/// Why a value could not be coded.
///
/// The description names the type and the place, never what the payload holds.
public struct CodingFailure: Error, CustomStringConvertible {
    /// What was tried.
    public enum Operation: String, Sendable {
        /// A value was made bytes.
        case encoding
        /// Bytes were made a value.
        case decoding
    }

    /// What was tried.
    public let operation: Operation
    /// The type that was to be coded.
    public let type: String
    /// The keys that lead to the failing place, such as `fetched.status`; empty for the value itself.
    public let path: String
    /// What is wrong there.
    public let reason: String

    /// Describes a failure.
    public init(_ operation: Operation, type: String, path: String = "", reason: String) {
        self.operation = operation
        self.type = type
        self.path = path
        self.reason = reason
    }

    /// One sentence.
    public var description: String {
        "\(operation.rawValue) \(type) failed\(path.isEmpty ? "" : " at \(path)"): \(reason)"
    }
}
