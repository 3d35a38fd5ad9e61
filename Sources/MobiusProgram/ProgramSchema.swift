import MobiusCodec
package import MobiusCore

/// The JSON form of events, effects and models, as a JSON Schema.
///
/// It is always about JSON, which people write, also when payloads have another coding.
package enum ProgramSchema {
    /// The document of one program, in one line of UTF-8 without line breaks.
    ///
    /// It is the schema of an event; `$defs` contains `Event`, `Effect`, `Model` and the types that these contain. Those of the three that
    /// have several versions say which they write (`x-version`) and which they read (from `x-oldest` on). It runs
    /// `init(from:)` of all types, with samples.
    package static func json<Program: LoopProgram>(of program: Program.Type) -> [UInt8] {
        document("\(Program.self)", definitions(of: program))
    }

    /// The document of several programs, by their kinds.
    ///
    /// It is the schema of an event of any of them. `$defs` contains `Event`, `Effect` and `Model` of any, and those of each with
    /// its types behind the kind and a dot, such as `order.Event`; `x-kinds` lists the kinds.
    static func json(of programs: [(kind: String, definitions: [JSONTree.Member])]) -> [UInt8] {
        let kinds = programs.map(\.kind)
        let any = ["Event", "Effect", "Model"].map { name in
            let choices = kinds.map { JSONTree.members(["$ref": .text("#/$defs/\($0).\(name)")]) }
            return JSONTree.Member(name, .members(["anyOf": .array(choices)]))
        }
        return document(
            kinds.joined(separator: ", "), any + programs.flatMap(\.definitions),
            [JSONTree.Member("x-kinds", .array(kinds.map(JSONTree.text)))])
    }

    private static func document(
        _ title: String, _ definitions: [JSONTree.Member], _ more: [JSONTree.Member] = []
    ) -> [UInt8] {
        let members = [
            JSONTree.Member("$schema", .text(JSONSchema.dialect)), JSONTree.Member("title", .text(title)),
            JSONTree.Member("$ref", .text("#/$defs/Event")), JSONTree.Member("$defs", .object(definitions)),
        ]
        return Array(JSONTree.object(members + more).text.utf8)
    }

    /// The definitions of a program's types, whose names begin with the prefix.
    static func definitions<Program: LoopProgram>(
        of program: Program.Type, prefix: String = ""
    ) -> [JSONTree.Member] {
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
        let schema = JSONSchema(definitions, roots: roots, prefix: prefix)
        let events = roots.first { $0.value == "Event" }?.key
        let types: [(name: String, type: any Any.Type)] = [
            ("Event", Program.Event.self), ("Effect", Program.Effect.self), ("Model", Program.Model.self),
        ]
        return schema.defined(Set([events].compactMap(\.self))).map { definition in
            let type = types.first { prefix + $0.name == definition.name }?.type
            guard let evolving = type as? any PayloadEvolution.Type else { return definition }
            return JSONTree.Member(definition.name, versioned(definition.value, evolving))
        }
    }

    /// A definition with the versions of its type, which only one with ``PayloadEvolution`` has.
    private static func versioned<Value: PayloadEvolution>(_ schema: JSONTree, _ type: Value.Type) -> JSONTree {
        schema.adding("x-version", .unsigned(UInt64(type.versions.current)))
            .adding("x-oldest", .unsigned(UInt64(type.versions.oldest)))
    }
}
