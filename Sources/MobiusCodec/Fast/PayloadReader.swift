/// Reads the fields of values from bytes in place, for ``FastPayload/init(from:)``.
///
/// It accepts any bytes: missing, surplus or differently formed parts are errors. Other code can neither copy nor make
/// it, so it never outlives the bytes.
public struct PayloadReader: ~Copyable {
    // Pointers, because a span can be kept in a type only where lifetimes are declared, which the language does not offer yet.
    // Every read compares with `end` first; the bytes outlive the call that made the reader.
    @usableFromInline var next: UnsafePointer<UInt8>
    @usableFromInline let end: UnsafePointer<UInt8>
    /// The beginning of the record's first field.
    @usableFromInline var fields: UnsafePointer<UInt8>
    /// The largest number that was asked for in this record: all fields up to it lie behind.
    @usableFromInline var last = 0
    /// The kind of the content that is read next.
    @usableFromInline var kind = FastKind.record
    @usableFromInline var depth = 0

    /// `bytes` stay while the reader lives.
    @usableFromInline
    init(_ bytes: UnsafeRawBufferPointer) {
        let empty = Self.nothing
        next = bytes.baseAddress.map { $0.assumingMemoryBound(to: UInt8.self) } ?? empty
        end = next + bytes.count
        fields = next
    }

    /// An address to point at where there are no bytes; nothing is read there.
    private static var nothing: UnsafePointer<UInt8> { UnsafePointer(bitPattern: 1).unsafelyUnwrapped }

    @inlinable var remaining: Int { end - next }

    // MARK: - Fields

    /// Reads a required field; if the context needs an optional value, the overload below is called.
    ///
    /// - Throws: an error when it is missing or not of this type.
    @inlinable
    @_disfavoredOverload
    public mutating func read<Value: FastPayload>(at number: Int) throws -> Value {
        guard try seek(number) else { throw missing(number) }
        return try field(number)
    }

    /// Reads a field that may be missing; `nil` when it is.
    ///
    /// - Throws: an error when it is there and not of this type.
    @inlinable
    public mutating func read<Value: FastPayload>(at number: Int) throws -> Value? {
        guard try seek(number) else { return nil }
        let value: Value = try field(number)
        return value
    }

    /// Reads a field with a default, for payloads that were written before the field was added.
    ///
    /// - Throws: an error when it is there and not of this type.
    @inlinable
    public mutating func read<Value: FastPayload>(
        at number: Int, default value: @autoclosure () throws -> Value
    ) throws -> Value {
        guard try seek(number) else { return try value() }
        return try field(number)
    }

    /// Reads which case of an enum follows, before its fields.
    ///
    /// - Throws: an error when there is none.
    @inlinable
    public mutating func readCase() throws -> Int {
        guard next == fields, next < end, next.pointee == FastForm.caseMark else {
            throw failure("the number of a case is missing")
        }
        next += 1
        let number = try varint()
        guard number >= 1, number <= FastForm.maximumNumber else { throw failure("the number of a case cannot be") }
        fields = next
        return Int(number)
    }

    // MARK: - Errors

    /// The error for an unknown case.
    public func unknownCase(_ number: Int) -> any Error {
        failure("there is no case \(number)")
    }

    /// An error about the value being read; the message should not quote the value.
    @inline(never)
    public func failure(_ reason: String) -> any Error {
        FastFailure(reason: reason)
    }

    @usableFromInline
    @inline(never)
    func missing(_ number: Int) -> any Error {
        FastFailure(reason: "the field \(number) is missing")
    }

    @usableFromInline
    @inline(never)
    func mismatch(_ type: Any.Type) -> any Error {
        FastFailure(reason: "it is \(kind.name), not \(type)")
    }

    /// An error with the place where it happened in front of its path.
    @usableFromInline
    @inline(never)
    func located(_ error: any Error, _ place: Int) -> any Error {
        guard var failure = error as? FastFailure else { return error }
        failure.path.append(place)
        return failure
    }
}

/// The reason why bytes are invalid.
struct FastFailure: Error {
    let reason: String
    /// The numbers that lead there, the innermost first.
    var path: [Int] = []
}
