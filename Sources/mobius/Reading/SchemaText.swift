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

    /// The kinds of loops; none for a coordinator of one program.
    package let kinds: [String]
    private let definitions: [String: [String: Any]]

    /// Reads a coordinator's schema; `nil` for text that is no schema.
    package init?(_ json: String) {
        let document = try? JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any]
        guard let document, let definitions = document["$defs"] as? [String: [String: Any]] else { return nil }
        self.definitions = definitions
        kinds = document["x-kinds"] as? [String] ?? []
    }

    /// The events and effects in the order of their cases, and then the other types by name.
    ///
    /// - Parameter kind: The kind of loops that they are of; `nil` for those of the one program.
    package func entries(of kind: String? = nil) -> [Entry] {
        let prefix = kind.map { "\($0)." } ?? ""
        return cases("event", of: prefix + "Event") + cases("effect", of: prefix + "Effect") + types(prefix)
    }

    /// The JSON Schema of one kind, in which the definitions have no prefix.
    package func document(of kind: String) -> String? {
        let prefix = "\(kind)."
        let own = definitions.filter { $0.key.hasPrefix(prefix) }
        guard !own.isEmpty else { return nil }
        let document: [String: Any] = [
            "$schema": "https://json-schema.org/draft/2020-12/schema", "title": kind, "$ref": "#/$defs/Event",
            "$defs": Dictionary(uniqueKeysWithValues: own.map { (String($0.key.dropFirst(prefix.count)), $0.value) }),
        ]
        guard
            let data = try? JSONSerialization.data(
                withJSONObject: document, options: [.sortedKeys, .withoutEscapingSlashes])
        else { return nil }
        return String(decoding: data, as: UTF8.self).replacing("\"#/$defs/\(prefix)", with: "\"#/$defs/")
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

    private func types(_ prefix: String) -> [Entry] {
        let names = definitions.keys.filter { $0.hasPrefix(prefix) }.map { String($0.dropFirst(prefix.count)) }
        return names.sorted().filter { !["Event", "Effect", "Model"].contains($0) }.map { name in
            Entry(kind: "type", name: name, fields: fields(of: definitions[prefix + name] ?? [:]), example: nil)
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
        if let reference = schema["$ref"] as? String {
            let name = String(reference.split(separator: "/").last ?? "")
            let kind = kinds.first { name.hasPrefix("\($0).") }
            return kind.map { String(name.dropFirst($0.count + 1)) } ?? name
        }
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
