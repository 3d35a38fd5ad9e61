import Foundation
import MobiusProcess

/// A program's events and effects, as its JSON Schema describes them.
package struct SchemaText {
    /// An event, an effect, or a type that they contain.
    package struct Entry {
        /// `event`, `effect` or `type`.
        package let kind: String
        /// The name of the case, or of the type.
        package let name: String
        /// Its fields; of a type without fields, what it is.
        package let fields: [Field]
        /// An event to begin with; `nil` for others.
        package let example: String?
    }

    /// A field and its type in words.
    package struct Field {
        package let name: String
        package let type: String
        package let isOptional: Bool

        /// `amount: integer`, `note: text?`.
        package var text: String {
            let type = isOptional && !type.hasSuffix("?") ? "\(type)?" : type
            return name.isEmpty ? type : "\(name): \(type)"
        }
    }

    private let definitions: [String: [String: Any]]

    /// Reads a coordinator's schema; `nil` for text that is no schema.
    package init?(_ json: String) {
        let document = try? JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any]
        guard let document, let definitions = document["$defs"] as? [String: [String: Any]] else { return nil }
        self.definitions = definitions
    }

    /// The events and effects in the order of their cases, and then the other types by name.
    package var entries: [Entry] {
        cases("event", of: "Event") + cases("effect", of: "Effect") + types
    }

    private func cases(_ kind: String, of name: String) -> [Entry] {
        guard let schema = definitions[name] else { return [] }
        let cases = schema["oneOf"] as? [[String: Any]] ?? [schema]
        return cases.map { known in
            // A case is an object with just one key.
            guard known["additionalProperties"] as? Bool == false,
                let (name, value) = (known["properties"] as? [String: [String: Any]])?.first
            else { return Entry(kind: kind, name: "-", fields: fields(of: known), example: nil) }
            return Entry(kind: kind, name: name, fields: fields(of: value), example: example(in: known))
        }
    }

    private var types: [Entry] {
        definitions.keys.sorted().filter { !["Event", "Effect", "Model"].contains($0) }.map { name in
            Entry(kind: "type", name: name, fields: fields(of: definitions[name] ?? [:]), example: nil)
        }
    }

    private func fields(of schema: [String: Any]) -> [Field] {
        guard schema["type"] as? String == "object", schema["additionalProperties"] == nil else {
            return [Field(name: "", type: type(schema), isOptional: false)]
        }
        let properties = schema["properties"] as? [String: [String: Any]] ?? [:]
        let required = schema["required"] as? [String] ?? []
        let others = properties.keys.filter { !required.contains($0) }.sorted()
        return (required + others).compactMap { name in
            properties[name].map { Field(name: name, type: type($0), isOptional: !required.contains(name)) }
        }
    }

    /// A type in words.
    private func type(_ schema: [String: Any]) -> String {
        if let reference = schema["$ref"] as? String { return String(reference.split(separator: "/").last ?? "") }
        if let values = schema["enum"] as? [Any] { return values.map { "\($0)" }.joined(separator: "|") }
        if let choice = schema["anyOf"] as? [[String: Any]] {
            let words = choice.filter { $0["type"] as? String != "null" }.map(type)
            return words.joined(separator: " or ") + (words.count < choice.count ? "?" : "")
        }
        if let choice = schema["oneOf"] as? [[String: Any]] {
            let names = choice.compactMap { ($0["properties"] as? [String: Any])?.keys.first }
            return "one of " + names.joined(separator: ", ")
        }
        let names = schema["type"] as? [String] ?? (schema["type"] as? String).map { [$0] } ?? []
        let words = names.filter { $0 != "null" }.map { word($0, schema) }
        return (words.first ?? "any") + (names.contains("null") ? "?" : "")
    }

    private func word(_ name: String, _ schema: [String: Any]) -> String {
        switch name {
        case "string": schema["format"] as? String ?? schema["contentEncoding"] as? String ?? "text"
        case "number" where schema["description"] != nil: "seconds since 2001"
        case "array":
            if let element = schema["items"] as? [String: Any] {
                "[\(type(element))]"
            } else {
                "[\((schema["prefixItems"] as? [[String: Any]] ?? []).map(type).joined(separator: ", "))]"
            }
        case "object": (schema["additionalProperties"] as? [String: Any]).map { "{text: \(type($0))}" } ?? "object"
        default: name
        }
    }

    private func example(in schema: [String: Any]) -> String? {
        guard let value = (schema["examples"] as? [Any])?.first,
            let data = try? JSONSerialization.data(
                withJSONObject: value, options: [.fragmentsAllowed, .sortedKeys, .withoutEscapingSlashes])
        else { return nil }
        return String(decoding: data, as: UTF8.self)
    }
}
