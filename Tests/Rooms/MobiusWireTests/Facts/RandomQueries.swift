import MobiusWire

/// A query as a tree of values, which is evaluated without keys.
indirect enum PlainQuery {
    case comparison(String, String, FactValue)
    case oneOf(String, [FactValue])
    case begins(String, String)
    case has(String)
    case not(PlainQuery)
    case all([PlainQuery])
    case any([PlainQuery])

    func matches(_ facts: [String: FactValue]) -> Bool {
        switch self {
        case .comparison(let name, let sign, let value):
            guard let fact = facts[name] else { return false }
            let order = fact.order(value)
            switch sign {
            case "=", "==": return order == 0
            case "!=": return order != 0
            case "<": return fact.sort == value.sort && order < 0
            case "<=": return fact.sort == value.sort && order <= 0
            case ">": return fact.sort == value.sort && order > 0
            default: return fact.sort == value.sort && order >= 0
            }
        case .oneOf(let name, let values): return values.contains { facts[name]?.order($0) == 0 }
        case .begins(let name, let start):
            guard case .text(let text) = facts[name] else { return false }
            return text.utf8.starts(with: start.utf8)
        case .has(let name): return facts[name] != nil
        case .not(let part): return !part.matches(facts)
        case .all(let parts): return parts.allSatisfy { $0.matches(facts) }
        case .any(let parts): return parts.contains { $0.matches(facts) }
        }
    }

    /// The query as text; each part within others is in parentheses.
    var text: String {
        switch self {
        case .comparison(let name, let sign, let value): "\(name)\(sign)\(Self.text(value))"
        case .oneOf(let name, let values): "\(name) in (\(values.map(Self.text).joined(separator: ",")))"
        case .begins(let name, let start): "\(name) begins with \(Self.text(.text(start)))"
        case .has(let name): "has \(name)"
        case .not(let part): "not (\(part.text))"
        case .all(let parts): parts.map { "(\($0.text))" }.joined(separator: " and ")
        case .any(let parts): parts.map { "(\($0.text))" }.joined(separator: " or ")
        }
    }

    private static func text(_ value: FactValue) -> String {
        switch value {
        case .bool(let value): "\(value)"
        case .integer(let value): "\(value)"
        case .number(let value): "\(value)"
        case .time(let value): value.text
        case .text(let value):
            "'\(value.unicodeScalars.map { $0 == "'" ? "''" : $0 == "\\" ? "\\\\" : String($0) }.joined())'"
        }
    }
}

extension SeededGenerator {
    private static let names = ["a", "b", "c", "in"]

    mutating func facts() -> [String: FactValue] {
        var facts: [String: FactValue] = [:]
        for name in Self.names where chance(oneIn: 2) { facts[name] = smallFactValue() }
        return facts
    }

    /// One of few values, so that comparisons are often true.
    private mutating func smallFactValue() -> FactValue {
        switch number(upTo: 5) {
        case 0: .bool(chance(oneIn: 2))
        case 1: .number(Double(number(upTo: 6)) / 2)
        case 2: .time(WallTime(milliseconds: Int64(number(upTo: 3))))
        case 3: .text(["", "a", "ab", "b's", "é", "\\"][number(upTo: 5)])
        case 4: chance(oneIn: 4) ? factValue() : .integer(0)
        default: .integer(Int64(number(upTo: 3)))
        }
    }

    mutating func query(depth: Int = 3) -> PlainQuery {
        let name = Self.names[number(upTo: Self.names.count - 1)]
        switch number(upTo: depth == 0 ? 5 : 9) {
        case 0...2:
            let sign = ["=", "==", "!=", "<", "<=", ">", ">="][number(upTo: 6)]
            return .comparison(name, sign, smallFactValue())
        case 3: return .oneOf(name, (0...number(upTo: 2)).map { _ in smallFactValue() })
        case 4: return .begins(name, ["", "a", "é", "b"][number(upTo: 3)])
        case 5: return .has(name)
        case 6: return .not(query(depth: depth - 1))
        case 7: return .any((0...2).map { _ in query(depth: depth - 1) })
        default: return .all((0...number(upTo: 2)).map { _ in query(depth: depth - 1) })
        }
    }
}
