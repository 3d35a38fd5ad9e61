/// One Swift file, cut into tokens once and read by every rule.
struct SourceFile {
    /// Relative to the repository, with `/`.
    let path: String
    /// The number of lines.
    let lines: Int
    /// Everything, comments included.
    let tokens: [Token]
    /// Words, marks and literals only.
    let code: [Token]
    /// Every word that occurs, so that most searches end before they begin.
    private let words: Set<String>

    init(path: String, text: String) {
        self.path = path
        (tokens, lines) = Lexer.tokensAndLines(of: text)
        code = tokens.filter { $0.kind != .comment && $0.kind != .documentation }
        words = Set(code.lazy.filter { $0.kind == .word }.map(\.text))
    }

    /// The folder below `Sources`, `Workers`, `Deploy` or `Tests` that the file lies in.
    var room: String {
        path.split(separator: "/").dropFirst().first { $0 != "Examples" }.map(String.init) ?? ""
    }

    /// Every place where the words and marks of `pattern` follow each other, as indices into `code`.
    func occurrences(of pattern: String) -> [Int] {
        let tokens = Lexer.tokens(of: pattern)
        guard words.isSuperset(of: tokens.lazy.filter { $0.kind == .word }.map(\.text)) else { return [] }
        let needle = tokens.map(\.text)
        guard let first = needle.first else { return [] }
        return code.indices.filter { start in
            code[start].text == first && code[start].kind != .literal && start + needle.count <= code.count
                && needle.indices.allSatisfy { code[start + $0].reads(needle[$0]) }
        }
    }

    /// A finding on a line of this file.
    func problem(_ line: Int, _ advice: String) -> Problem {
        Problem(place: "\(path):\(line)", advice: advice)
    }
}

/// One breach of a rule: where it is and what to do about it.
struct Problem: CustomStringConvertible {
    let place: String
    let advice: String

    var description: String { "\(place): \(advice)" }
}
