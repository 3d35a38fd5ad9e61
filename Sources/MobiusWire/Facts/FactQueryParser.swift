/// Reads a query from its tokens, by recursive descent: the depth is limited, and each token is read once.
struct FactQueryParser {
    private let text: String
    private let time: WallTime
    private let tokens: [FactQueryToken]
    private var position = 0
    private var comparisons = 0
    private var depth = 0

    init(_ text: String, time: WallTime) throws(FactQueryError) {
        self.text = text
        self.time = time
        tokens = try FactQueryTokens.all(of: text)
    }

    /// Reads the whole text.
    mutating func query() throws(FactQueryError) -> FactCondition {
        guard token.kind != .end else {
            throw FactQueryError("The query is empty: write a comparison, such as stage = 'open'.")
        }
        let condition = try disjunction()
        guard token.kind == .end else { throw error("Here must be 'and', 'or' or the end.", at: token) }
        return condition
    }

    // MARK: Words between comparisons

    private mutating func disjunction() throws(FactQueryError) -> FactCondition {
        var parts = [try conjunction()]
        while accept("or") { parts.append(try conjunction()) }
        return parts.count == 1 ? parts[0] : .any(parts)
    }

    private mutating func conjunction() throws(FactQueryError) -> FactCondition {
        var parts = [try term()]
        while accept("and") { parts.append(try term()) }
        return parts.count == 1 ? parts[0] : .all(parts)
    }

    private mutating func term() throws(FactQueryError) -> FactCondition {
        let first = token
        if first.kind == .sign("(") {
            advance()
            let condition = try nested(in: first) { (self) throws(FactQueryError) in try self.disjunction() }
            guard accept(.sign(")")) else {
                throw token.kind == .end
                    ? error("This parenthesis has no partner: add ')'.", at: first)
                    : error("Here must be 'and', 'or' or ')'.", at: token)
            }
            return condition
        }
        // Facts may have these names, too.
        if !tokens[min(position + 1, tokens.count - 1)].isComparison {
            if accept("not") {
                return .not(try nested(in: first) { (self) throws(FactQueryError) in try self.term() })
            }
            if accept("has") {
                try count(at: first)
                return .comparison(FactComparison(name: try name(), ranges: [.all]))
            }
        }
        return .comparison(try comparison(name: try name()))
    }

    private mutating func nested(
        in token: FactQueryToken, _ read: (inout Self) throws(FactQueryError) -> FactCondition
    ) throws(FactQueryError) -> FactCondition {
        guard depth < FactQuery.maximumDepth else {
            throw error(
                "More than \(FactQuery.maximumDepth) parentheses and 'not' lie within each other: use fewer.", at: token
            )
        }
        depth += 1
        defer { depth -= 1 }
        return try read(&self)
    }

    // MARK: Comparisons

    private mutating func name() throws(FactQueryError) -> String {
        guard case .word(let name) = token.kind else {
            throw error("Here must be the name of a fact, 'not', 'has' or '('.", at: token)
        }
        guard FactName.isValid(name) else {
            throw error("\(FactQueryError.quoted(name)) is no name of a fact: \(FactName.rule).", at: token)
        }
        advance()
        return name
    }

    private mutating func comparison(name: String) throws(FactQueryError) -> FactComparison {
        let first = token
        if accept("in") { return FactComparison(name: name, ranges: try list()) }
        if accept("begins") {
            guard accept("with") else { throw error("Here must be 'with': begins with 'text'.", at: token) }
            return FactComparison(name: name, ranges: [try beginning()])
        }
        guard first.isComparison, case .sign(let sign) = first.kind else {
            throw error("Here must be =, !=, <, <=, >, >=, in or begins with.", at: token)
        }
        advance()
        let key = try value().key
        let (next, sort, nextSort) = (FactRange.next(key), [key[0]], [key[0] + 1])
        let range =
            switch sign {
            case "<": FactRange(lower: sort, upper: key)
            case "<=": FactRange(lower: sort, upper: next)
            case ">": FactRange(lower: next, upper: nextSort)
            case ">=": FactRange(lower: key, upper: nextSort)
            default: FactRange(only: key)
            }
        return FactComparison(name: name, ranges: [range], isNegated: sign == "!=")
    }

    /// The values of an `in`.
    private mutating func list() throws(FactQueryError) -> [FactRange] {
        guard accept(.sign("(")) else {
            throw error("Here must be values in parentheses: in ('a', 'b').", at: token)
        }
        var ranges: [FactRange] = []
        repeat { ranges.append(FactRange(only: try value().key)) } while accept(.sign(","))
        guard accept(.sign(")")) else { throw error("Here must be ',' or ')'.", at: token) }
        return ranges
    }

    /// The range of the texts that begin with one.
    private mutating func beginning() throws(FactQueryError) -> FactRange {
        let first = token
        guard case .text(let text) = try value() else { throw error("Here must be a text in quotes.", at: first) }
        guard text.utf8.count <= FactValue.maximumText else {
            throw error("Facts keep \(FactValue.maximumText) bytes of a text: shorten this one.", at: first)
        }
        return FactRange(prefix: FactValue.text(text).key)
    }

    private mutating func value() throws(FactQueryError) -> FactValue {
        let first = token
        try count(at: first)
        switch first.kind {
        case .quoted(let text):
            advance()
            return .text(text)
        case .word(let word) where !["and", "or", "not"].contains(first.word):
            advance()
            return try FactLiteral(word: word, time: time).value { error($0, at: first) }
        case .word, .sign, .end:
            throw error("Here must be a value: a number, true, false, a time, or a text in quotes.", at: first)
        }
    }

    private mutating func count(at token: FactQueryToken) throws(FactQueryError) {
        comparisons += 1
        guard comparisons <= FactQuery.maximumComparisons else {
            throw error(
                "This is comparison \(comparisons), \(FactQuery.maximumComparisons) at most: use fewer.", at: token)
        }
    }

    // MARK: Tokens

    private var token: FactQueryToken { tokens[position] }

    /// Goes on to the next token; the end is never passed.
    private mutating func advance() { position += 1 }

    private mutating func accept(_ word: String) -> Bool {
        guard token.word == word else { return false }
        advance()
        return true
    }

    private mutating func accept(_ kind: FactQueryToken.Kind) -> Bool {
        guard token.kind == kind else { return false }
        advance()
        return true
    }

    private func error(_ message: String, at token: FactQueryToken) -> FactQueryError {
        FactQueryError(message, in: text, at: token.offset)
    }
}
