import Foundation

/// The form of a value in a JSON Schema that a coordinator prints with `--schema`.
///
/// Only what such schemas use is understood: anything else is ``any``.
indirect enum SchemaForm: Decodable, Equatable, Sendable {
    /// Not known: its type decodes by hand.
    case any
    case null
    case bool
    case number
    case integer(low: Int64?, high: UInt64?)
    /// A string of a format, such as `uuid`; of any without one.
    case text(format: String?)
    /// One of these strings or integers, as JSON text.
    case values([String], ofText: Bool)
    case list(SchemaForm)
    case tuple([SchemaForm])
    case map(SchemaForm)
    /// An object with these keys; `isPartial` if there may be others.
    case record([String: Field], isPartial: Bool)
    /// An object with one key, the name of a case.
    case choice([String: SchemaForm])
    case optional(SchemaForm)
    /// A definition's name.
    case reference(String)

    /// A key of a record.
    struct Field: Equatable, Sendable {
        let form: SchemaForm
        let isRequired: Bool
    }

    private enum Keys: String, CodingKey {
        case ref = "$ref"
        case comment = "$comment"
        case type, properties, required, oneOf, anyOf, items, prefixItems, additionalProperties, minimum, maximum
        case format, contentEncoding
        case values = "enum"
    }

    init(from decoder: any Decoder) throws {
        guard let object = try? decoder.container(keyedBy: Keys.self) else {
            self = .any
            return
        }
        if let reference = try object.decodeIfPresent(String.self, forKey: .ref) {
            self = .reference(String(reference.dropFirst("#/$defs/".count)))
        } else if let forms = try object.decodeIfPresent([SchemaForm].self, forKey: .anyOf) {
            self = forms.count == 2 && forms[1] == .null ? .optional(forms[0]) : .any
        } else if let forms = try object.decodeIfPresent([SchemaForm].self, forKey: .oneOf) {
            var cases: [String: SchemaForm] = [:]
            for case .choice(let one) in forms { cases.merge(one) { first, _ in first } }
            self = .choice(cases)
        } else if let texts = try? object.decodeIfPresent([String].self, forKey: .values) {
            self = .values(texts, ofText: true)
        } else if let numbers = try? object.decodeIfPresent([Int64].self, forKey: .values) {
            self = .values(numbers.map(String.init), ofText: false)
        } else if let types = try? object.decodeIfPresent([String].self, forKey: .type) {
            self = types.count == 2 && types[1] == "null" ? .optional(try Self.typed(types[0], object)) : .any
        } else {
            self = try object.decodeIfPresent(String.self, forKey: .type).map { try Self.typed($0, object) } ?? .any
        }
    }

    private static func typed(_ type: String, _ object: KeyedDecodingContainer<Keys>) throws -> SchemaForm {
        switch type {
        case "null": return .null
        case "boolean": return .bool
        case "number": return .number
        case "integer":
            let low = try object.decodeIfPresent(Int64.self, forKey: .minimum)
            return .integer(low: low, high: try object.decodeIfPresent(UInt64.self, forKey: .maximum))
        case "string":
            let format = try object.decodeIfPresent(String.self, forKey: .format)
            return .text(format: try format ?? object.decodeIfPresent(String.self, forKey: .contentEncoding))
        case "array":
            if let forms = try object.decodeIfPresent([SchemaForm].self, forKey: .prefixItems) { return .tuple(forms) }
            return .list(try object.decodeIfPresent(SchemaForm.self, forKey: .items) ?? .any)
        case "object": return try self.object(object)
        default: return .any
        }
    }

    private static func object(_ object: KeyedDecodingContainer<Keys>) throws -> SchemaForm {
        let isClosed = try? object.decodeIfPresent(Bool.self, forKey: .additionalProperties)
        if isClosed == nil, let value = try? object.decodeIfPresent(SchemaForm.self, forKey: .additionalProperties) {
            return .map(value)
        }
        let properties = try object.decodeIfPresent([String: SchemaForm].self, forKey: .properties) ?? [:]
        if isClosed == false, properties.count == 1 { return .choice(properties) }
        let required = Set(try object.decodeIfPresent([String].self, forKey: .required) ?? [])
        let fields = properties.map { name, form in (name, Field(form: form, isRequired: required.contains(name))) }
        return .record(
            Dictionary(fields) { first, _ in first }, isPartial: object.contains(.comment))
    }

    /// What such a value is called in a sentence.
    var name: String {
        switch self {
        case .any, .reference: "a value"
        case .null: "null"
        case .bool: "true or false"
        case .number: "a number"
        case .integer: "an integer"
        case .text(let format): format.map { "a string (\($0))" } ?? "a string"
        case .values(_, let ofText): ofText ? "one of some strings" : "one of some integers"
        case .list: "a list"
        case .tuple(let elements): "a list of \(elements.count)"
        case .map: "an object with any keys"
        case .record: "an object"
        case .choice: "an enum with values"
        case .optional(let form): "\(form.name) or null"
        }
    }
}

/// The forms of a program's types, as `NAME --schema` prints them.
package struct SchemaDocument: Decodable, Sendable {
    /// A type that is written and read as a whole: the events, effects or models of a program.
    struct Root: Decodable, Sendable {
        /// The version in which values are written.
        let version: UInt16
        /// The oldest version that can be read.
        let oldest: UInt16

        private enum Keys: String, CodingKey {
            case version = "x-version"
            case oldest = "x-oldest"
        }

        init(from decoder: any Decoder) throws {
            let object = try decoder.container(keyedBy: Keys.self)
            version = try object.decodeIfPresent(UInt16.self, forKey: .version) ?? 1
            oldest = try object.decodeIfPresent(UInt16.self, forKey: .oldest) ?? 1
        }
    }

    /// The kinds of the programs; `nil` of one program.
    let kinds: [String]?
    let definitions: [String: SchemaForm]
    let roots: [String: Root]

    private enum Keys: String, CodingKey {
        case definitions = "$defs"
        case kinds = "x-kinds"
    }

    /// - Throws: `DecodingError` for anything that is no schema of a program.
    package init(from decoder: any Decoder) throws {
        let object = try decoder.container(keyedBy: Keys.self)
        definitions = try object.decode([String: SchemaForm].self, forKey: .definitions)
        roots = try object.decode([String: Root].self, forKey: .definitions)
        kinds = try object.decodeIfPresent([String].self, forKey: .kinds)
        for name in names where definitions[name] == nil {
            throw DecodingError.dataCorruptedError(
                forKey: .definitions, in: object, debugDescription: "it does not define \(name)")
        }
    }

    /// The names of all roots.
    var names: [String] {
        let types = ["Event", "Effect", "Model"]
        return kinds.map { kinds in kinds.flatMap { kind in types.map { "\(kind).\($0)" } } } ?? types
    }
}
