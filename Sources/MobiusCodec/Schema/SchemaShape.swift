/// The form of a value in JSON, as its type's decoding shows it.
package indirect enum SchemaShape: Equatable, Sendable {
    /// Not known, with the reason: the type decodes by hand.
    case any(String)
    /// `true` or `false`.
    case bool
    /// An integer within bounds, where the type is narrower than 64 bits or unsigned.
    case integer(low: Int64?, high: UInt64?)
    /// A number.
    case number
    /// A string.
    case text(SchemaText)
    /// Seconds since 2001-01-01T00:00:00Z.
    case date
    /// One of these strings.
    case texts([String])
    /// One of these integers.
    case integers([Int64])
    /// An array of any length.
    case list(SchemaShape)
    /// An array with these elements.
    case tuple([SchemaShape])
    /// An object with any keys.
    case map(SchemaShape)
    /// An object with these keys; `isPartial` if it may have others, or may lack some, because its type decodes by hand.
    case record([SchemaField], isPartial: Bool)
    /// An object with one key, the name of the case.
    case choice([SchemaField])
    /// The value, or null.
    case optional(SchemaShape)
    /// A type, by its place among the definitions.
    case type(Int)
}

/// The content of a string.
package enum SchemaText: Equatable, Sendable {
    case plain, uuid, url, base64
}

/// A key of an object, and its value.
package struct SchemaField: Equatable, Sendable {
    /// The key.
    package var name: String
    /// The form of its value.
    package var shape: SchemaShape
    /// Whether it may be missing or null.
    package var isOptional: Bool

    /// Describes a key.
    package init(_ name: String, _ shape: SchemaShape, isOptional: Bool = false) {
        self.name = name
        self.shape = shape
        self.isOptional = isOptional
    }
}

/// A type that the program uses, and its form.
package struct SchemaDefinition: Equatable, Sendable {
    /// The type's name without its module.
    package let name: String
    /// Its form.
    package var shape: SchemaShape

    /// Names a type.
    package init(name: String, shape: SchemaShape) {
        self.name = name
        self.shape = shape
    }
}
