/// A condition on the facts of loops: `stage = waitingForApproval and total > 100`.
///
/// ```text
/// query       = conjunction { or conjunction }
/// conjunction = term { and term }
/// term        = not term | ( query ) | has NAME | NAME comparison
/// comparison  = ( = | == | != | < | <= | > | >= ) value | in ( value, … ) | begins with text
/// value       = 100 | -1.5 | true | false | text | time
/// text        = waitingForApproval | 'Ada''s' | "Ada's" | 'Ada\'s'
/// time        = 2026-12-01 | 2026-12-01T10:00Z | 2026-12-01T10:00:00.250Z | now | now+2h | now-30m
/// ```
/// Words are read in any case, names of facts and texts in their own. The units of time are `s`, `m`, `h` and `d`. What is in
/// quotes is a text, and a text needs them unless it is one word that begins with a letter and could be nothing else.
///
/// A comparison with a fact that the loop does not have is false, also with `!=`; `not` inverts it. `<`, `<=`, `>` and
/// `>=` are false between values of different sorts, such as a text and a number.
public struct FactQuery: Hashable, Sendable {
    /// The longest text, in bytes.
    public static let maximumLength = 4096
    /// The largest number of comparisons; each value of an `in` counts.
    public static let maximumComparisons = 64
    /// The largest number of parentheses and `not`s around a comparison.
    public static let maximumDepth = 32

    private var condition: FactCondition

    /// Reads a query, in which `now` is the time `now`.
    public init(_ text: String, now: WallTime) throws(FactQueryError) {
        guard text.utf8.count <= Self.maximumLength else {
            throw FactQueryError(
                "The query has \(text.utf8.count) bytes, \(Self.maximumLength) at most: shorten it.")
        }
        var parser = try FactQueryParser(text, time: now)
        condition = try parser.query()
    }

    /// The query with the names under which journals keep the facts of `kind`, where several programs have some.
    package func keptUnder(_ kind: String) -> FactQuery {
        var query = self
        query.condition = condition.renamed { FactName.prefix(of: kind) + $0 }
        return query
    }

    /// Whether a loop with these keys of facts is found.
    package func matches(_ facts: [String: [UInt8]]) -> Bool { condition.matches(facts) }

    /// The names of all facts that it compares.
    package var names: Set<String> { condition.names }

    /// What each loop that is found satisfies: it has all these facts, with keys in these ranges; sorted by name, each
    /// name once.
    ///
    /// They are taken from the comparisons that `and` joins outside parentheses with `or` or `not`.
    package var ranges: [(name: String, range: FactRange)] {
        var ranges: [String: FactRange] = [:]
        for comparison in condition.conjuncts {
            ranges[comparison.name, default: .all] = ranges[comparison.name, default: .all].intersection(
                comparison.hull)
        }
        return ranges.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }
}
