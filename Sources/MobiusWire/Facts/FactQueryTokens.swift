/// A word, quoted text or sign of a query, and its place.
struct FactQueryToken {
    enum Kind: Hashable {
        case word(String)
        case quoted(String)
        case sign(String)
        case end
    }

    let kind: Kind
    /// Where it begins, in bytes of UTF-8.
    let offset: Int

    /// The word in small letters, if it is one.
    var word: String? {
        guard case .word(let word) = kind else { return nil }
        return word.lowercased()
    }

    /// Whether it is a sign that compares.
    var isComparison: Bool {
        guard case .sign(let sign) = kind else { return false }
        return !["(", ")", ","].contains(sign)
    }
}

/// Cuts the text of a query into tokens, each byte once.
struct FactQueryTokens {
    private let text: String
    private let bytes: [UInt8]
    private var offset = 0

    init(_ text: String) {
        self.text = text
        bytes = Array(text.utf8)
    }

    /// All tokens; the last one is the end.
    static func all(of text: String) throws(FactQueryError) -> [FactQueryToken] {
        var tokens = FactQueryTokens(text)
        var all: [FactQueryToken] = []
        while let token = try tokens.next() { all.append(token) }
        return all + [FactQueryToken(kind: .end, offset: tokens.bytes.count)]
    }

    private mutating func next() throws(FactQueryError) -> FactQueryToken? {
        while offset < bytes.count, Self.isSpace(bytes[offset]) { offset += 1 }
        guard offset < bytes.count else { return nil }
        let start = offset
        let kind: FactQueryToken.Kind =
            switch bytes[start] {
            case UInt8(ascii: "'"), UInt8(ascii: "\""): .quoted(try quoted())
            case let byte where Self.isSign(byte): .sign(try sign())
            default: .word(word())
            }
        return FactQueryToken(kind: kind, offset: start)
    }

    private mutating func word() -> String {
        let word = bytes[offset...].prefix { !Self.endsWord($0) }
        offset = word.endIndex
        return String(decoding: word, as: UTF8.self)
    }

    private mutating func sign() throws(FactQueryError) -> String {
        let first = bytes[offset]
        let isJoined = offset + 1 < bytes.count && bytes[offset + 1] == UInt8(ascii: "=") && Self.isOperator(first)
        guard first != UInt8(ascii: "!") || isJoined else {
            throw FactQueryError("'!' compares nothing: write != or not.", in: text, at: offset)
        }
        let length = isJoined ? 2 : 1
        defer { offset += length }
        return String(decoding: bytes[offset..<offset + length], as: UTF8.self)
    }

    /// A text in quotes: a quote in it is doubled or behind a backslash, and so is a backslash.
    private mutating func quoted() throws(FactQueryError) -> String {
        let (start, quote, backslash) = (offset, bytes[offset], UInt8(ascii: "\\"))
        var content: [UInt8] = []
        offset += 1
        while offset < bytes.count {
            let byte = bytes[offset]
            let following = offset + 1 < bytes.count ? bytes[offset + 1] : nil
            let isPair = byte == quote && following == quote
            let isEscape = byte == backslash && (following == quote || following == backslash)
            offset += isPair || isEscape ? 2 : 1
            if byte == quote && !isPair { return String(decoding: content, as: UTF8.self) }
            content.append(isEscape ? following ?? byte : byte)
        }
        throw FactQueryError(
            "This quotation mark has no partner: add it behind the text, and double those within.", in: text, at: start)
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }

    private static func isOperator(_ byte: UInt8) -> Bool {
        [UInt8(ascii: "="), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "!")].contains(byte)
    }

    private static func isSign(_ byte: UInt8) -> Bool {
        isOperator(byte) || [UInt8(ascii: "("), UInt8(ascii: ")"), UInt8(ascii: ",")].contains(byte)
    }

    private static func endsWord(_ byte: UInt8) -> Bool {
        isSpace(byte) || isSign(byte) || byte == UInt8(ascii: "'") || byte == UInt8(ascii: "\"")
    }
}
