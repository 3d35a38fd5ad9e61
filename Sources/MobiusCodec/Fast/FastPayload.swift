/// A type that writes and reads its own bytes: the fastest coding, some forty times faster than Foundation's JSON.
///
/// Every field has a number, from 1, and every case of an enum too. Numbers identify fields: names may change, and
/// fields may be added under new numbers and removed, but never reuse a number for another field.
///
/// ```swift
/// struct Visit: FastPayload {
///     var address: String
///     var status: Int
///     var note: String?
///
///     func encode(to writer: inout PayloadWriter) {
///         writer.write(address, at: 1)
///         writer.write(status, at: 2)
///         writer.write(note, at: 3)
///     }
///
///     init(from reader: inout PayloadReader) throws {
///         address = try reader.read(at: 1)
///         status = try reader.read(at: 2)
///         note = try reader.read(at: 3)
///     }
/// }
/// ```
///
/// An enum writes the number of its case first. An enum with raw values conforms without any code.
///
/// ```swift
/// enum Step: FastPayload {
///     case stopped
///     case fetched(Visit, after: Double)
///
///     func encode(to writer: inout PayloadWriter) {
///         switch self {
///         case .stopped:
///             writer.writeCase(1)
///         case .fetched(let visit, let seconds):
///             writer.writeCase(2)
///             writer.write(visit, at: 1)
///             writer.write(seconds, at: 2)
///         }
///     }
///
///     init(from reader: inout PayloadReader) throws {
///         switch try reader.readCase() {
///         case 1: self = .stopped
///         case 2: self = .fetched(try reader.read(at: 1), after: try reader.read(at: 2))
///         case let number: throw reader.unknownCase(number)
///         }
///     }
/// }
///
/// enum Mood: String, FastPayload { case calm, angry }
/// ```
///
/// All integers, `Bool`, `Double`, `Float`, `String`, `Data`, `Date`, `UUID`, `URL`, `Decimal`, `Duration`, arrays,
/// sets, dictionaries and optionals of such types conform. ``FastCodec`` describes the bytes.
public protocol FastPayload {
    /// The form of its content: ``FastKind/record``, the default, for every type that writes fields.
    static var fastKind: FastKind { get }

    /// Writes the fields of the value, in ascending order of their numbers.
    func encode(to writer: inout PayloadWriter)

    /// Reads the fields of a value; in the order of their numbers it is fastest.
    ///
    /// - Throws: what `reader` throws, and errors of the type's own.
    init(from reader: inout PayloadReader) throws
}

extension FastPayload {
    /// A record of fields.
    @inlinable
    public static var fastKind: FastKind { .record }
}

// An enum with raw values, or a wrapper of one value, is written as that value.
extension FastPayload where Self: RawRepresentable, RawValue: FastPayload {
    /// That of the raw value.
    @inlinable
    public static var fastKind: FastKind { RawValue.fastKind }

    /// Writes the raw value.
    @inlinable
    public func encode(to writer: inout PayloadWriter) {
        rawValue.encode(to: &writer)
    }

    /// Reads the raw value.
    ///
    /// - Throws: an error also when no value has this raw value.
    @inlinable
    public init(from reader: inout PayloadReader) throws {
        guard let value = Self(rawValue: try RawValue(from: &reader)) else {
            throw reader.failure("there is no \(Self.self) with this raw value")
        }
        self = value
    }
}
