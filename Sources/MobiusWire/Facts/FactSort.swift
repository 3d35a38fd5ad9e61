/// The order of loops that are found by their facts: `due`, or `-due` or `due desc` for the largest first.
///
/// Loops that do not have the fact are not found.
public struct FactSort: Hashable, Sendable {
    /// The name of the fact.
    public let name: String
    /// Whether the largest value comes first.
    public let descending: Bool

    private init(name: String, descending: Bool) {
        self.name = name
        self.descending = descending
    }

    /// Reads `due`, `-due`, `due desc` or `due asc`.
    public init(_ text: String) throws(FactQueryError) {
        let words = text.split(separator: " ", maxSplits: 2).map(String.init)
        let direction = words.count == 2 ? words[1].lowercased() : "asc"
        let isNegative = words.first?.utf8.first == UInt8(ascii: "-")
        let name = isNegative ? String(words[0].dropFirst()) : words.first ?? ""
        guard words.count <= 2, FactName.isValid(name), direction == "asc" || direction == "desc" && !isNegative else {
            throw FactQueryError("A sort is the name of a fact, such as due, -due or due desc.", in: text, at: 0)
        }
        self.init(name: name, descending: isNegative || direction == "desc")
    }

    /// The sort with the name under which journals keep the fact of `kind`, where several programs have some.
    package func keptUnder(_ kind: String) -> FactSort {
        FactSort(name: FactName.prefix(of: kind) + name, descending: descending)
    }
}
