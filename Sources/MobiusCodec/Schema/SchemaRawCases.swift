/// The raw values of all cases of an enum, as its type's metadata lists them.
struct SchemaRawCases {
    /// The form of these values.
    let shape: SchemaShape
    /// A value of a case, which the enum accepts.
    let first: SchemaSamples
    /// A value of no case, which the enum refuses unless it has a way out for it.
    let stranger: SchemaSamples

    /// The cases of an enum with strings or integers as raw values; `nil` for other types.
    init?<Value>(_ type: Value.Type) {
        guard let type = type as? any RawRepresentable.Type, let cases = Self.values(type), !cases.isEmpty else {
            return nil
        }
        if let texts = cases as? [String] {
            shape = .texts(texts)
            first = SchemaSamples(text: texts[0], integer: 1)
        } else {
            let integers = cases.compactMap { ($0 as? any BinaryInteger).flatMap { Int64(exactly: $0) } }
            guard integers.count == cases.count else { return nil }
            shape = .integers(integers)
            first = SchemaSamples(text: "a", integer: Int(integers[0]))
        }
        // Within a byte, so that it is not cut to another one.
        let free = (0...127).first { number in cases.allSatisfy { "\($0)" != "\(number)" } } ?? 127
        stranger = SchemaSamples(text: "no case \(free)", integer: free)
    }

    private static func values<Value: RawRepresentable>(_ type: Value.Type) -> [Any]? {
        CaseNames.values(of: type)?.map(\.rawValue)
    }
}
