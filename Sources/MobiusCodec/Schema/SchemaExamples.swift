/// Makes values that have the form of a type, for people who write one of their own.
package struct SchemaExamples {
    private let definitions: [SchemaDefinition]

    /// Makes examples of these types.
    package init(_ definitions: [SchemaDefinition]) {
        self.definitions = definitions
    }

    /// An example: every key that is not optional, one element in each array, the first case that does not contain itself.
    package func example(of shape: SchemaShape) -> JSONTree { example(of: shape, inside: []) ?? .null }

    /// `nil` for a type inside of itself.
    private func example(of shape: SchemaShape, inside types: Set<Int>) -> JSONTree? {
        switch shape {
        case .any: .members([:])
        case .bool: .bool(true)
        case .integer, .number, .date: .integer(1)
        case .text(.plain): .text("text")
        case .text(.uuid): .text("00000000-0000-4000-8000-000000000000")
        case .text(.url): .text("https://example.org/")
        case .text(.base64): .text("AQ==")
        case .texts(let texts): .text(texts.first ?? "")
        case .integers(let integers): .integer(integers.first ?? 0)
        case .list(let element): .array(example(of: element, inside: types).map { [$0] } ?? [])
        case .tuple(let elements): all(elements.map { example(of: $0, inside: types) }).map { .array($0) }
        case .map: .object([])
        case .record(let fields, _): record(fields, inside: types)
        case .choice(let cases):
            cases.lazy.compactMap { known in
                example(of: known.shape, inside: types).map { .object([.init(known.name, $0)]) }
            }.first
        case .optional: .null
        case .type(let place):
            types.contains(place) || !definitions.indices.contains(place)
                ? nil : example(of: definitions[place].shape, inside: types.union([place]))
        }
    }

    private func record(_ fields: [SchemaField], inside types: Set<Int>) -> JSONTree? {
        let needed = fields.filter { field in
            if case .optional = field.shape { return false }
            return !field.isOptional
        }
        return all(needed.map { field in example(of: field.shape, inside: types).map { .init(field.name, $0) } })
            .map { .object($0) }
    }

    private func all<Value>(_ values: [Value?]) -> [Value]? {
        let found = values.compactMap(\.self)
        return found.count == values.count ? found : nil
    }
}
