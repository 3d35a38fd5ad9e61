package import MobiusCore

/// The codings of a program's types, bound once for all its loops.
package struct ProgramCodings<Program: LoopProgram>: Sendable {
    package let events: TypedCoding<Program.Event>
    package let effects: TypedCoding<Program.Effect>
    /// Deterministic, so that equal models have equal hashes if their own `Codable` code allows it.
    package let models: TypedCoding<Program.Model>

    package init() {
        let contentType = ProgramCoding<Program>.chosen.contentType
        events = TypedCoding(contentType)
        effects = TypedCoding(contentType)
        models = TypedCoding(contentType, deterministic: true)
    }
}
