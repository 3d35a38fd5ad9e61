/// Writes the forms of types as JSON Schema, draft 2020-12.
package struct JSONSchema {
    /// The dialect's URI.
    package static let dialect = "https://json-schema.org/draft/2020-12/schema"

    private let definitions: [SchemaDefinition]
    /// Where the definitions are, from the root of the document.
    private let base: String
    /// The names of the definitions, by place; `nil` for types that are written where they are used.
    private var names: [String?] = []

    /// Writes references to these types.
    ///
    /// - Parameters:
    ///   - roots: The names of some types, by place; they are always defined.
    ///   - place: Where the definitions will be, from the root of the document.
    ///   - prefix: The beginning of all names.
    package init(
        _ definitions: [SchemaDefinition], roots: [Int: String], at place: String = "#/$defs/", prefix: String = ""
    ) {
        self.definitions = definitions
        base = place
        var taken = Set(roots.values)
        for (place, definition) in definitions.enumerated() {
            if let root = roots[place] {
                names.append(prefix + root)
            } else if definition.shape.hasParts {
                var name = definition.name
                var number = 2
                while !taken.insert(name).inserted {
                    name = "\(definition.name)-\(number)"
                    number += 1
                }
                names.append(prefix + name)
            } else {
                names.append(nil)
            }
        }
    }

    /// The definitions of all types that others refer to, by name.
    package func defined(_ withExamples: Set<Int> = []) -> [JSONTree.Member] {
        names.indices.compactMap { place in
            names[place].map { name in
                let examples = withExamples.contains(place) ? SchemaExamples(definitions) : nil
                return JSONTree.Member(name, schema(of: definitions[place].shape, examples))
            }
        }
    }

    /// The schema of a form; of the cases of a choice with an example each, if `examples` are given.
    package func schema(of shape: SchemaShape, _ examples: SchemaExamples? = nil) -> JSONTree {
        switch shape {
        case .any(let reason): .members(["$comment": .text("any value: \(reason)")])
        case .bool: .members(["type": .text("boolean")])
        case .number: .members(["type": .text("number")])
        case .date:
            .members(["type": .text("number"), "description": .text("seconds since 2001-01-01T00:00:00Z")])
        case .integer(let low, let high): integer(low, high)
        case .text(let text): self.text(text)
        case .texts(let texts): .members(["type": .text("string"), "enum": .array(texts.map(JSONTree.text))])
        case .integers(let integers):
            .members(["type": .text("integer"), "enum": .array(integers.map(JSONTree.integer))])
        case .list(let element): .members(["type": .text("array"), "items": schema(of: element)])
        case .tuple(let elements): tuple(elements)
        case .map(let value): .members(["type": .text("object"), "additionalProperties": schema(of: value)])
        case .record(let fields, let isPartial): record(fields, isPartial)
        case .choice(let cases): choice(cases, examples)
        case .optional(let shape): nullable(schema(of: shape))
        case .type(let place): reference(place)
        }
    }

    private func reference(_ place: Int) -> JSONTree {
        guard definitions.indices.contains(place) else { return .object([]) }
        guard let name = names[place] else { return schema(of: definitions[place].shape) }
        return .members(["$ref": .text(base + name)])
    }

    private func integer(_ low: Int64?, _ high: UInt64?) -> JSONTree {
        var schema = JSONTree.members(["type": .text("integer")])
        if let low { schema = schema.adding("minimum", .integer(low)) }
        if let high { schema = schema.adding("maximum", .unsigned(high)) }
        return schema
    }

    private func text(_ text: SchemaText) -> JSONTree {
        let schema = JSONTree.members(["type": .text("string")])
        return switch text {
        case .plain: schema
        case .uuid: schema.adding("format", .text("uuid"))
        case .url: schema.adding("format", .text("uri-reference"))
        case .base64: schema.adding("contentEncoding", .text("base64"))
        }
    }

    private func tuple(_ elements: [SchemaShape]) -> JSONTree {
        .members([
            "type": .text("array"), "prefixItems": .array(elements.map { schema(of: $0) }),
            "minItems": .integer(Int64(elements.count)),
        ])
    }

    private func record(_ fields: [SchemaField], _ isPartial: Bool) -> JSONTree {
        var schema = JSONTree.members(["type": .text("object")])
        if isPartial { schema = schema.adding("$comment", .text("decoded by hand: there may be other keys")) }
        guard !fields.isEmpty else { return schema }
        schema = schema.adding("properties", .object(fields.map { .init($0.name, property($0)) }))
        let required = fields.filter { !$0.isOptional && !$0.shape.isOptional }.map { JSONTree.text($0.name) }
        return required.isEmpty ? schema : schema.adding("required", .array(required))
    }

    private func property(_ field: SchemaField) -> JSONTree {
        let schema = schema(of: field.shape)
        return field.isOptional && !field.shape.isOptional ? nullable(schema) : schema
    }

    private func nullable(_ schema: JSONTree) -> JSONTree {
        if case .object(let members) = schema, schema["enum"] == nil, case .text(let type)? = schema["type"] {
            return .object(
                members.map { $0.name == "type" ? .init("type", .array([.text(type), .text("null")])) : $0 })
        }
        // Any value, so also null.
        if schema["$ref"] == nil, schema["type"] == nil, schema["oneOf"] == nil { return schema }
        return .members(["anyOf": .array([schema, .members(["type": .text("null")])])])
    }

    private func choice(_ cases: [SchemaField], _ examples: SchemaExamples?) -> JSONTree {
        let cases = cases.map { known in
            let schema = JSONTree.members([
                "type": .text("object"), "properties": .object([.init(known.name, schema(of: known.shape))]),
                "required": .array([.text(known.name)]), "additionalProperties": .bool(false),
            ])
            guard let examples else { return schema }
            return schema.adding("examples", .array([examples.example(of: .choice([known]))]))
        }
        return cases.count == 1 ? cases[0] : .members(["oneOf": .array(cases)])
    }
}

extension SchemaShape {
    /// Whether it is worth a definition of its own.
    fileprivate var hasParts: Bool {
        switch self {
        case .record, .choice, .tuple, .texts, .integers: true
        default: false
        }
    }

    fileprivate var isOptional: Bool { if case .optional = self { true } else { false } }
}
