/// A query as a tree.
indirect enum FactCondition: Hashable, Sendable {
    case comparison(FactComparison)
    case all([FactCondition])
    case any([FactCondition])
    case not(FactCondition)

    func matches(_ facts: [String: [UInt8]]) -> Bool {
        switch self {
        case .comparison(let comparison): comparison.matches(facts[comparison.name])
        case .all(let parts): parts.allSatisfy { $0.matches(facts) }
        case .any(let parts): parts.contains { $0.matches(facts) }
        case .not(let part): !part.matches(facts)
        }
    }

    var names: Set<String> {
        switch self {
        case .comparison(let comparison): [comparison.name]
        case .all(let parts), .any(let parts): parts.reduce(into: []) { $0.formUnion($1.names) }
        case .not(let part): part.names
        }
    }

    func renamed(_ name: (String) -> String) -> FactCondition {
        switch self {
        case .comparison(var comparison):
            comparison.name = name(comparison.name)
            return .comparison(comparison)
        case .all(let parts): return .all(parts.map { $0.renamed(name) })
        case .any(let parts): return .any(parts.map { $0.renamed(name) })
        case .not(let part): return .not(part.renamed(name))
        }
    }

    /// Comparisons that hold wherever it does.
    var conjuncts: [FactComparison] {
        switch self {
        case .comparison(let comparison): [comparison]
        case .all(let parts): parts.flatMap(\.conjuncts)
        case .any, .not: []
        }
    }
}

/// A comparison of one fact: its key lies within one of the ranges, or within none of them.
struct FactComparison: Hashable, Sendable {
    var name: String
    let ranges: [FactRange]
    var isNegated = false

    func matches(_ key: [UInt8]?) -> Bool {
        guard let key else { return false }
        return ranges.contains { $0.contains(key) } != isNegated
    }

    /// A range with all keys that it is true of.
    var hull: FactRange { isNegated ? .all : .hull(ranges) }
}
