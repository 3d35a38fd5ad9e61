/// A piece of Swift source, as far as the house rules care.
struct Token: Equatable {
    /// What a token is.
    enum Kind {
        /// An identifier, a keyword or a number.
        case word
        /// One character of punctuation.
        case mark
        /// A string or regex literal; the token's text is what stands between the quotes.
        case literal
        /// A comment that documents what follows it.
        case documentation
        /// Any other comment.
        case comment
    }

    let kind: Kind
    let text: String
    /// Counted from 1.
    let line: Int

    /// The value of a whole number.
    var number: Int? { Int(text) }

    /// Whether this is the word or mark `text`, so that strings and comments never match.
    func reads(_ text: String) -> Bool {
        (kind == .word || kind == .mark) && self.text == text
    }
}

/// Cuts Swift source into tokens.
///
/// It knows just enough of the language not to mistake text for code: nested comments, raw, multi-line and interpolated
/// strings, and regex literals.
struct Lexer {
    private let bytes: [UInt8]
    private var position = 0
    private var line = 1
    private var tokens: [Token] = []

    /// All tokens of `source`, comments included.
    static func tokens(of source: String) -> [Token] {
        tokensAndLines(of: source).tokens
    }

    /// All tokens of `source`, and how many lines it has.
    static func tokensAndLines(of source: String) -> (tokens: [Token], lines: Int) {
        var lexer = Lexer(bytes: Array(source.utf8))
        while lexer.position < lexer.bytes.count { lexer.step() }
        return (lexer.tokens, lexer.line - 1)
    }

    private init(bytes: [UInt8]) {
        self.bytes = bytes
        tokens.reserveCapacity(bytes.count / 6)
    }

    private mutating func step() {
        let byte = bytes[position]
        if Self.isWord[Int(byte)] {
            var end = position + 1
            while end < bytes.count, Self.isWord[Int(bytes[end])] { end += 1 }
            emit(.word, position..<end)
        } else if byte == Self.newline {
            line += 1
            position += 1
        } else if byte <= UInt8(ascii: " ") {
            position += 1
        } else if byte == Self.slash, starts("//") {
            lineComment()
        } else if byte == Self.slash, starts("/*") {
            blockComment()
        } else if let hashes = openingHashes() {
            literal(hashes)
        } else {
            emit(.mark, position..<position + 1)
        }
    }

    // MARK: Comments

    private mutating func lineComment() {
        var end = position
        while end < bytes.count, bytes[end] != Self.newline { end += 1 }
        emit(starts("///") && !starts("////") ? .documentation : .comment, position..<end)
    }

    private mutating func blockComment() {
        let kind: Token.Kind = starts("/**") && !starts("/**/") ? .documentation : .comment
        let start = position
        var depth = 0
        repeat {
            if starts("/*") {
                depth += 1
                position += 2
            } else if starts("*/") {
                depth -= 1
                position += 2
            } else {
                position += 1
            }
        } while depth > 0 && position < bytes.count
        let end = position
        position = start
        emit(kind, start..<end)
    }

    // MARK: Strings and regexes

    /// The number of `#` before a string or regex that starts here, `nil` when none does.
    private func openingHashes() -> Int? {
        var end = position
        while end < bytes.count, bytes[end] == UInt8(ascii: "#") { end += 1 }
        guard end < bytes.count else { return nil }
        let hashes = end - position
        if bytes[end] == UInt8(ascii: "\"") { return hashes }
        guard bytes[end] == UInt8(ascii: "/") else { return nil }
        return hashes > 0 || bareRegexStarts() ? hashes : nil
    }

    /// Whether the `/` here opens a regex: an operator would have a value before it or a space after it.
    private func bareRegexStarts() -> Bool {
        guard position + 1 < bytes.count, bytes[position + 1] > UInt8(ascii: " "), !starts("/=") else { return false }
        let comments: [Token.Kind] = [.comment, .documentation]
        guard let previous = tokens.last(where: { !comments.contains($0.kind) }) else { return true }
        guard previous.kind == .mark, !["/", ")", "]", "}", "<", ">", "."].contains(previous.text) else {
            return false
        }
        return bytes[(position + 1)...].prefix { $0 != UInt8(ascii: "\n") }.contains(UInt8(ascii: "/"))
    }

    private mutating func literal(_ hashes: Int) {
        let start = position
        let end = Self.endOfLiteral(bytes, at: start, hashes: hashes)
        let quote = bytes[start + hashes]
        let triple = (0..<3).allSatisfy { start + hashes + $0 < bytes.count && bytes[start + hashes + $0] == quote }
        let margin = hashes + (triple && end - start >= 2 * (hashes + 3) ? 3 : 1)
        let inside = min(start + margin, end)..<max(start + margin, end - margin)
        emit(.literal, inside.upperBound <= end ? inside : start..<end, consuming: start..<end)
    }

    /// The position behind the literal that starts at `start` with `hashes` times `#`.
    private static func endOfLiteral(_ bytes: [UInt8], at start: Int, hashes: Int) -> Int {
        let quote = bytes[start + hashes]
        let isString = quote == UInt8(ascii: "\"")
        let body = start + hashes
        let triple = isString && body + 2 < bytes.count && bytes[body + 1] == quote && bytes[body + 2] == quote
        let fence = [UInt8](repeating: UInt8(ascii: "#"), count: hashes)
        let closing = [UInt8](repeating: quote, count: triple ? 3 : 1) + fence
        let escape = [UInt8(ascii: "\\")] + (isString ? fence : [])
        var position = body + (triple ? 3 : 1)
        while position < bytes.count {
            let byte = bytes[position]
            if byte == quote, bytes[position...].starts(with: closing) { return position + closing.count }
            if byte == newline, !triple, hashes == 0 || isString { return position }
            if byte == escape[0], bytes[position...].starts(with: escape) {
                position += escape.count
                let interpolates = isString && position < bytes.count && bytes[position] == UInt8(ascii: "(")
                position = interpolates ? endOfInterpolation(bytes, at: position) : position + 1
            } else {
                position += 1
            }
        }
        return bytes.count
    }

    /// The position behind the parenthesis that opens at `start`, strings inside it skipped.
    private static func endOfInterpolation(_ bytes: [UInt8], at start: Int) -> Int {
        var position = start
        var depth = 0
        while position < bytes.count {
            switch bytes[position] {
            case UInt8(ascii: "\""): position = endOfLiteral(bytes, at: position, hashes: 0) - 1
            case UInt8(ascii: "("): depth += 1
            case UInt8(ascii: ")"): depth -= 1
            default: break
            }
            position += 1
            if depth == 0 { return position }
        }
        return bytes.count
    }

    // MARK: Helpers

    // Tests run unoptimised, so bytes are compared one by one and looked up rather than handed to closures.
    private static let newline = UInt8(ascii: "\n")
    private static let slash = UInt8(ascii: "/")
    /// For each byte, whether identifiers, keywords and numbers may hold it.
    private static let isWord: [Bool] = (0...255).map { byte in
        byte >= 0x80 || "_`$".utf8.contains(UInt8(byte)) || Character(UnicodeScalar(UInt8(byte))).isLetter
            || Character(UnicodeScalar(UInt8(byte))).isNumber
    }

    private func starts(_ text: StaticString) -> Bool {
        let count = text.utf8CodeUnitCount
        guard position + count <= bytes.count else { return false }
        return text.withUTF8Buffer { buffer in
            for index in 0..<count where buffer[index] != bytes[position + index] { return false }
            return true
        }
    }

    private mutating func emit(_ kind: Token.Kind, _ range: Range<Int>, consuming whole: Range<Int>? = nil) {
        let whole = whole ?? range
        tokens.append(Token(kind: kind, text: String(decoding: bytes[range], as: UTF8.self), line: line))
        if kind != .word && kind != .mark {
            for index in whole where bytes[index] == Self.newline { line += 1 }
        }
        position = whole.upperBound
    }
}
