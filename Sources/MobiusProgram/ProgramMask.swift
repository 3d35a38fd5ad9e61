import MobiusCodec
package import MobiusCore
package import MobiusWire

/// Masks payloads as their program asks for.
package struct ProgramMask<Program: LoopProgram>: Sendable {
    private let model: @Sendable (Program.Model) -> Program.Model
    private let event: @Sendable (Program.Event) -> Program.Event
    private let effect: @Sendable (Program.Effect) -> Program.Effect

    /// The program's own; `nil` for a program that masks nothing.
    package static var chosen: Self? {
        func mask<Redacting: RedactingProgram>(_ program: Redacting.Type) -> Any {
            ProgramMask<Redacting>(
                model: { Redacting.redact($0) }, event: { Redacting.redact($0) }, effect: { Redacting.redact($0) })
        }
        return (Program.self as? any RedactingProgram.Type).flatMap { mask($0) as? Self }
    }

    private init(
        model: @escaping @Sendable (Program.Model) -> Program.Model,
        event: @escaping @Sendable (Program.Event) -> Program.Event,
        effect: @escaping @Sendable (Program.Effect) -> Program.Effect
    ) {
        self.model = model
        self.event = event
        self.effect = effect
    }

    /// A model without what people must not see.
    package func model(_ payload: Payload, _ codings: ProgramCodecs<Program>) -> Payload {
        Self.masked(payload, codings.models, model)
    }

    /// An event without what people must not see.
    package func event(_ payload: Payload, _ codings: ProgramCodecs<Program>) -> Payload {
        Self.masked(payload, codings.events, event)
    }

    /// An effect without what people must not see.
    package func effect(_ payload: Payload, _ codings: ProgramCodecs<Program>) -> Payload {
        Self.masked(payload, codings.effects, effect)
    }

    /// A payload that this build cannot read is masked as a whole.
    private static func masked<Value>(
        _ payload: Payload, _ codec: TypedCodec<Value>, _ redact: (Value) -> Value
    ) -> Payload {
        do throws(CodingFailure) {
            return try codec.encode(redact(codec.decode(payload)))
        } catch {
            return whole(payload)
        }
    }

    /// A payload that is masked as a whole, without a call of the program.
    package static func whole(_ payload: Payload) -> Payload {
        let kind = PayloadKind(type: payload.kind.type, version: payload.kind.version)
        return Payload(kind: kind, bytes: Array(#""masked, because this build cannot read it""#.utf8))
    }
}
