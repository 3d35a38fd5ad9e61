/// Finds public declarations without documentation.
///
/// It walks declarations only: bodies, parentheses and brackets are skipped as wholes, so nothing inside a function
/// counts.
struct PublicSymbols {
    /// What a brace of a type declaration opened.
    private enum Scope {
        /// Members are public only when they say so.
        case explicit
        /// Members are as public as the protocol or extension itself.
        case allPublic
        /// A public enum: its cases are public.
        case publicCases
    }

    /// What stood before a declaration's keyword.
    private struct Lead {
        var documented = false
        var access: String?
        var overrides = false
    }

    private static let types: Set = ["class", "struct", "enum", "protocol", "actor", "extension"]
    private static let members: Set = [
        "func", "var", "let", "init", "subscript", "typealias", "associatedtype", "case", "macro",
    ]
    private static let accesses: Set = ["public", "open", "package", "internal", "fileprivate", "private"]
    private static let modifiers: Set = [
        "static", "final", "nonisolated", "isolated", "override", "mutating", "nonmutating", "lazy", "weak", "unowned",
        "required", "convenience", "indirect", "dynamic", "consuming", "borrowing", "prefix", "postfix", "infix",
        "distributed", "optional", "unsafe", "async",
    ]

    private let file: SourceFile
    private let tokens: [Token]
    private var position = 0
    private var scopes: [Scope] = []
    private var opening: Scope?
    private var lead = Lead()
    private var found: [Problem] = []

    /// Public declarations of `file` that have no `///` before them.
    static func problems(in file: SourceFile) -> [Problem] {
        var walk = PublicSymbols(file)
        while walk.position < walk.tokens.count { walk.step() }
        return walk.found
    }

    private init(_ file: SourceFile) {
        self.file = file
        tokens = file.tokens
    }

    private mutating func step() {
        let token = tokens[position]
        switch token.kind {
        case .documentation: lead.documented = true
        case .comment: break
        case .literal: lead = Lead()
        case .mark: mark(token)
        case .word: word(token)
        }
        position += 1
    }

    private mutating func mark(_ token: Token) {
        switch token.text {
        case "{":
            if let scope = opening {
                scopes.append(scope)
                opening = nil
            } else {
                skipGroup()
            }
            lead = Lead()
        case "}":
            _ = scopes.popLast()
            lead = Lead()
        case "(", "[": skipGroup()
        case "@": skipName()
        case "#": skipDirective()
        default: lead = Lead()
        }
    }

    private mutating func word(_ token: Token) {
        if position > 0, tokens[position - 1].reads(".") { return }  // a member's name, as in `.init`
        if opening != nil { return }  // inheritance and where clauses
        if Self.accesses.contains(token.text) {
            // `private(set)` limits the setter only.
            if lead.access == nil, !nextIs("(") || nextIs("(", "get") { lead.access = token.text }
        } else if Self.modifiers.contains(token.text) || isClassModifier(token) {
            if token.text == "override" { lead.overrides = true }
        } else if Self.types.contains(token.text), isDeclaration(token) {
            declareType(token)
        } else if Self.members.contains(token.text), isDeclaration(token) {
            declare(token)
        } else {
            lead = Lead()
        }
    }

    private mutating func declareType(_ token: Token) {
        let isPublic = declare(token)
        switch token.text {
        case "protocol", "extension": opening = isPublic ? .allPublic : .explicit
        case "enum": opening = isPublic ? .publicCases : .explicit
        default: opening = .explicit
        }
    }

    /// Reports the declaration if it is public and bare; answers whether it is public.
    @discardableResult
    private mutating func declare(_ token: Token) -> Bool {
        defer { lead = Lead() }
        let implied = scopes.last == .allPublic || (scopes.last == .publicCases && token.text == "case")
        let isPublic = lead.access.map { $0 == "public" || $0 == "open" } ?? implied
        if isPublic, !lead.documented, !lead.overrides, token.text != "extension" {
            let name = tokens[(position + 1)...].first { $0.kind == .word }?.text ?? ""
            let what = ["init", "subscript"].contains(token.text) ? token.text : "\(token.text) \(name)"
            found.append(file.problem(token.line, "document the public \(what): one line on what it is, then promises"))
        }
        return isPublic
    }

    // MARK: Looking round

    private func nextIs(_ texts: String...) -> Bool {
        position + texts.count < tokens.count
            && texts.indices.allSatisfy { tokens[position + 1 + $0].reads(texts[$0]) }
    }

    /// `class func` and the like.
    private func isClassModifier(_ token: Token) -> Bool {
        token.text == "class"
            && (["func", "var", "let", "subscript"] + Self.modifiers + Self.accesses).contains { nextIs($0) }
    }

    /// Whether a word that is a keyword only in its place (`actor`, `macro`) stands in that place.
    private func isDeclaration(_ token: Token) -> Bool {
        guard ["actor", "macro", "extension"].contains(token.text) else { return true }
        return position + 1 < tokens.count && tokens[position + 1].kind == .word
    }

    private mutating func skipGroup() {
        var depth = 0
        while position < tokens.count {
            if tokens[position].kind == .mark {
                if ["(", "[", "{"].contains(tokens[position].text) { depth += 1 }
                if [")", "]", "}"].contains(tokens[position].text) { depth -= 1 }
            }
            if depth == 0 { return }
            position += 1
        }
    }

    /// Stops at the last word of an attribute's name; its parentheses are a group of their own.
    private mutating func skipName() {
        position += 1
        while nextIs("."), position + 2 < tokens.count { position += 2 }
    }

    /// `#if os(Linux) && …` to the end of its line.
    private mutating func skipDirective() {
        guard ["if", "elseif", "else", "endif"].contains(where: { nextIs($0) }) else { return }
        let line = tokens[position].line
        while position + 1 < tokens.count, tokens[position + 1].line == line { position += 1 }
    }
}
