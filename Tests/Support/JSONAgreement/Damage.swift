// Mistakes in bytes.
extension SeededGenerator {
    /// Makes a mistake or two: some in bytes, some in whole tokens, so that what is wrong is found deep within.
    package mutating func damage(_ bytes: inout [UInt8]) {
        for _ in 0..<number(below: 2) + 1 where !bytes.isEmpty {
            if chance(oneIn: 3) { damageByte(&bytes) } else { damageToken(&bytes) }
        }
    }

    private mutating func damageByte(_ bytes: inout [UInt8]) {
        let place = number(below: bytes.count)
        let sign = one(of: Array(#"{}[]",:0123456789eE+-.tfnu\ "#.utf8))
        switch number(below: 6) {
        case 0: bytes[place] = sign
        case 1: bytes.remove(at: place)
        case 2: bytes.insert(sign, at: place)
        case 3: bytes[place] = UInt8(truncatingIfNeeded: next())
        case 4: bytes.removeLast(number(below: bytes.count))
        default: bytes.insert(contentsOf: bytes[place..<place + number(below: bytes.count - place) + 1], at: place)
        }
    }

    private mutating func damageToken(_ bytes: inout [UInt8]) {
        let tokens = Self.tokens(bytes)
        guard !tokens.isEmpty else { return }
        let token = one(of: tokens)
        switch number(below: 5) {
        case 0: bytes.replaceSubrange(token, with: bytes[one(of: tokens)])
        case 1: bytes.removeSubrange(token)
        case 2: bytes.insert(contentsOf: Array(" ,".utf8) + bytes[token], at: token.upperBound)
        default: bytes.replaceSubrange(token, with: Array(one(of: Self.replacements).utf8))
        }
    }

    /// What stands where something else was expected.
    private static let replacements = [
        "null", "true", "false", "{}", "[]", "0", "-0", "1", "-1", "1.0", "1.5", "1e2", "1E-2", "100e-2", "1e400",
        "9223372036854775807", "9223372036854775808", "-9223372036854775809", "18446744073709551616", "0.1e1", "01",
        "1.",
        "123456789012345678901234567890123456789012", "127", "128", "255", "256", "65536", "4294967296", "16777217",
        "-129",
        "3.5e38", "1e39", #""""#, #""a""#, #""\u0041\ud83d\ude00""#, #""\ud83d""#, #""\ude00""#, #""\q""#, #""\u12g4""#,
        #""\/\b\f\n\r\t\"\\""#, #""NaN""#, "NaN", "-Infinity", "Infinity", "\"\u{1}\"", #""a":1"#, #"{"a":1}"#, "[1]",
        "[null]",
        #""1""#, #""2020-01-01T00:00:00Z""#, #""AQID""#, #""_0""#, #"{"_0":1}"#, "+1", "1_000", ".5", "0x10", "tru",
        "nulll",
        #"{"a":1,"a":2}"#, "\u{feff}1", "\u{a0}", " 1 ", "/**/", "\"e\u{301}\"", "\"\u{e9}\"", "1e", "1e+", "-", "1e5",
        "2E0",
    ]

    /// Texts, numbers and words, and single signs between them.
    private static func tokens(_ bytes: [UInt8]) -> [Range<Int>] {
        var tokens: [Range<Int>] = []
        var at = 0
        while at < bytes.count {
            let start = at
            if bytes[at] == UInt8(ascii: "\"") {
                at += 1
                while at < bytes.count, bytes[at] != UInt8(ascii: "\"") {
                    at += bytes[at] == UInt8(ascii: "\\") ? 2 : 1
                }
                at = min(at + 1, bytes.count)
            } else if !isSign(bytes[at]) {
                while at < bytes.count, !isSign(bytes[at]), bytes[at] != UInt8(ascii: "\"") { at += 1 }
            } else {
                at += 1
            }
            tokens.append(start..<at)
        }
        return tokens
    }

    private static func isSign(_ byte: UInt8) -> Bool { "{}[]:, \n\t\r".utf8.contains(byte) }
}
