public import MobiusCodec
public import MobiusCore
import MobiusWire

/// A program that chooses the coding of its payloads: events, effects and models as bytes.
///
/// The default is JSON, which makes journals readable. A program may change its coding at any time: each record of its
/// journal names its coding.
///
/// ```swift
/// extension Moods: CodedProgram {
///     static var coding: ProgramCodec<Moods> { .fast }
/// }
/// ```
public protocol CodedProgram: LoopProgram {
    /// The coding in which its payloads are written.
    static var coding: ProgramCodec<Self> { get }
}

/// The coding in which a program's payloads are written.
public struct ProgramCodec<Program: LoopProgram>: Sendable {
    /// The media type of its payloads, such as `application/json`.
    public let contentType: String

    /// JSON (RFC 8259): `application/json`, readable for people and other programs.
    public static var json: Self { Self(contentType: PayloadKind.jsonContentType) }

    /// The program's choice, or JSON.
    package static var chosen: Self {
        func coding<Coded: CodedProgram>(_ program: Coded.Type) -> Any { Coded.coding }
        return (Program.self as? any CodedProgram.Type).flatMap { coding($0) as? Self } ?? .json
    }
}

extension ProgramCodec where Program.Model: FastPayload, Program.Event: FastPayload, Program.Effect: FastPayload {
    /// The format of `FastPayload`: `application/vnd.mobius.fast`, the smallest and fastest.
    ///
    /// Workers read it when their program's effects and events conform to `FastPayload` too.
    public static var fast: Self { Self(contentType: PayloadKind.fastContentType) }
}
