package import MobiusCore

/// The codings of a program's types, bound once for all its loops.
package struct ProgramCodings<Program: LoopProgram>: Sendable {
    package let events = TypedCoding<Program.Event>.json()
    package let effects = TypedCoding<Program.Effect>.json()
    /// With sorted keys, so that equal models have equal hashes as far as their own coding allows it.
    package let models = TypedCoding<Program.Model>.json(sortedKeys: true)

    package init() {}
}
