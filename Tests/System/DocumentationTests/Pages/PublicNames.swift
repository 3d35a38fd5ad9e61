/// The names that a source file offers to importers.
enum PublicNames {
    private static let kinds: Set<Substring> = [
        "struct", "class", "enum", "actor", "protocol", "typealias", "func",
    ]

    /// Public types and functions that are no members, without those that begin with an underscore.
    static func atTopLevel(of source: String) -> [String] {
        source.split(separator: "\n").compactMap { line in
            guard line.hasPrefix("public ") || line.hasPrefix("open ") else { return nil }
            var words = line.split(separator: " ").dropFirst()
            if words.first == "final" { words = words.dropFirst() }
            guard let kind = words.popFirst(), kinds.contains(kind), let name = words.first else { return nil }
            let letters = name.prefix { $0.isLetter || $0.isNumber || $0 == "_" }
            return letters.hasPrefix("_") ? nil : String(letters)
        }
    }
}
