/// A type of the standard library whose form is known without its `init(from:)`.
protocol SchemaWhole {
    static func explored(by reader: SchemaReader, _ samples: SchemaSamples) -> (shape: SchemaShape, sample: Any)
}

extension Optional: SchemaWhole where Wrapped: Decodable {
    static func explored(by reader: SchemaReader, _ samples: SchemaSamples) -> (shape: SchemaShape, sample: Any) {
        let (shape, sample) = reader.explore(Wrapped.self, samples)
        return (.optional(shape), sample as Any)
    }
}

extension Array: SchemaWhole where Element: Decodable {
    static func explored(by reader: SchemaReader, _ samples: SchemaSamples) -> (shape: SchemaShape, sample: Any) {
        let (shape, sample) = reader.explore(Element.self, samples)
        return (.list(shape), sample.map { [$0] } ?? [] as [Element])
    }
}

extension Set: SchemaWhole where Element: Decodable {
    static func explored(by reader: SchemaReader, _ samples: SchemaSamples) -> (shape: SchemaShape, sample: Any) {
        let (shape, sample) = reader.explore(Element.self, samples)
        return (.list(shape), sample.map { [$0] as Set } ?? [] as Set<Element>)
    }
}

extension Dictionary: SchemaWhole where Key: Decodable, Value: Decodable {
    static func explored(by reader: SchemaReader, _ samples: SchemaSamples) -> (shape: SchemaShape, sample: Any) {
        let (value, _) = reader.explore(Value.self, samples)
        let isObject = Key.self == String.self || Key.self == Int.self || Key.self is any CodingKeyRepresentable.Type
        return (isObject ? .map(value) : .list(.any("keys and values by turns")), [:] as Self)
    }
}
