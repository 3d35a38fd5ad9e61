import MobiusCodec
package import MobiusCore

/// The JSON form of a program's events, effects and models, as a JSON Schema.
package enum ProgramSchema {
    /// The document, in one line of UTF-8 without line breaks.
    ///
    /// It is the schema of an event; `$defs` contains `Event`, `Effect`, `Model` and the types that these contain. It is
    /// always about JSON, which people write, also when the program's payloads have another coding. It runs `init(from:)` of
    /// all types, with samples.
    package static func json<Program: LoopProgram>(of program: Program.Type) -> [UInt8] {
        let reader = SchemaReader()
        let shapes = [
            ("Event", reader.shape(of: Program.Event.self)), ("Effect", reader.shape(of: Program.Effect.self)),
            ("Model", reader.shape(of: Program.Model.self)),
        ]
        var definitions = reader.definitions
        var roots: [Int: String] = [:]
        // A type without parts, or one that is two of the three, gets a definition of its own under the second name.
        for (name, shape) in shapes {
            if case .type(let place) = shape, roots[place] == nil {
                roots[place] = name
            } else {
                roots[definitions.count] = name
                definitions.append(SchemaDefinition(name: name, shape: shape))
            }
        }
        let schema = JSONSchema(definitions, roots: roots)
        let events = roots.first { $0.value == "Event" }?.key
        let document = JSONTree.members([
            "$schema": .text(JSONSchema.dialect), "title": .text("\(Program.self)"),
            "$ref": .text("#/$defs/Event"), "$defs": .object(schema.defined(Set([events].compactMap(\.self)))),
        ])
        return Array(document.text.utf8)
    }
}
