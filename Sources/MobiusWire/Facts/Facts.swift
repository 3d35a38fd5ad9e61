/// What a loop can be found by: up to 16 named values of its model.
///
/// ```swift
/// let facts: Facts = ["stage": "waitingForApproval", "total": 120, "due": nil]
/// ```
/// A loop does not have a fact whose value is `nil` or no finite number. A name begins with a letter, and goes on with up to
/// 62 letters, digits and underscores, all ASCII. A wrong name, a name twice and too many names are programmer errors: they
/// trap.
public struct Facts: Hashable, Sendable {
    /// The largest number of names.
    public static let maximumCount = 16

    private struct Fact: Hashable {
        let name: String
        let key: [UInt8]
    }

    /// Sorted by name.
    private let facts: [Fact]

    /// The facts with the keys of their values, sorted by name.
    package var keyed: [(name: String, key: [UInt8])] { facts.map { ($0.name, $0.key) } }

    /// The value under `name`, as indexes keep it: a number is whole if it can be, a long text is cut; `nil` if the loop does
    /// not have that fact.
    public subscript(name: String) -> FactValue? {
        facts.first { $0.name == name }.flatMap { FactValue(key: $0.key) }
    }
}

extension Facts: ExpressibleByDictionaryLiteral {
    /// Takes names and values.
    public init(dictionaryLiteral elements: (String, (any FactConvertible)?)...) {
        if let problem = Self.problem(with: elements.map(\.0)) { fatalError(problem) }
        facts = elements.compactMap { name, value in
            guard let key = value?.factValue?.key, !key.isEmpty else { return nil }
            return Fact(name: name, key: key)
        }.sorted { $0.name < $1.name }
    }

    /// Returns the fault of a list of names; `nil` if there is none.
    package static func problem(with names: [String]) -> String? {
        guard names.count <= maximumCount else {
            return "A loop has at most \(maximumCount) facts, these are \(names.count)."
        }
        if let name = names.first(where: { !FactName.isValid($0) }) {
            return "'\(name)' is no name of a fact: \(FactName.rule)."
        }
        guard Set(names).count == names.count else { return "A fact has one value: one of \(names) is there twice." }
        return nil
    }
}
