package import MobiusCodec
package import MobiusCore

/// The codings of a program's types, bound once for all its loops.
package struct ProgramCodecs<Program: LoopProgram>: Sendable {
    package let events: TypedCodec<Program.Event>
    package let effects: TypedCodec<Program.Effect>
    /// Deterministic, so that equal models have equal hashes if their own `Codable` code allows it.
    package let models: TypedCodec<Program.Model>

    /// Binds the codings of a build of the program that codes events so.
    package init(events codings: PayloadCodecs<Program.Event> = PayloadCodecs()) {
        let contentType = ProgramCodec<Program>.chosen.contentType
        events = TypedCodec(contentType, codings)
        effects = TypedCodec(contentType)
        models = TypedCodec(contentType, deterministic: true)
    }
}
