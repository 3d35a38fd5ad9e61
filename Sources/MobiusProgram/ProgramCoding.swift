public import MobiusCodec
public import MobiusCore
import MobiusWire

/// A program that chooses the coding of its payloads: events, effects and models as bytes.
///
/// Without it they are JSON, because people read journals. A program may change its coding at any time: what is in its journal
/// says what it is coded in, and is read as that.
///
/// ```swift
/// extension Orders: CodedProgram {
///     static var coding: ProgramCoding<Orders> { .cbor }
/// }
/// ```
public protocol CodedProgram: LoopProgram {
    /// What its payloads are written in.
    static var coding: ProgramCoding<Self> { get }
}

/// What the payloads of a program are written in.
public struct ProgramCoding<Program: LoopProgram>: Sendable {
    /// The media type of its payloads, such as `application/json`.
    public let contentType: String

    /// JSON (RFC 8259): `application/json`, what people and every other program can read.
    public static var json: Self { Self(contentType: PayloadKind.jsonContentType) }

    /// CBOR (RFC 8949): `application/cbor`, smaller and faster, for the same `Codable` types.
    public static var cbor: Self { Self(contentType: PayloadKind.cborContentType) }

    /// What a program says, or JSON.
    package static var chosen: Self {
        func coding<Coded: CodedProgram>(_ program: Coded.Type) -> Any { Coded.coding }
        return (Program.self as? any CodedProgram.Type).flatMap { coding($0) as? Self } ?? .json
    }
}

extension ProgramCoding where Program.Model: FastPayload, Program.Event: FastPayload, Program.Effect: FastPayload {
    /// The bytes that the types themselves say: `application/vnd.mobius.fast`, the smallest and fastest.
    ///
    /// Workers read it when their program's effects and events conform to `FastPayload` too.
    public static var fast: Self { Self(contentType: PayloadKind.fastContentType) }
}
