/// The encoding that a charset label stands for on the web (after the WHATWG Encoding standard).
package enum CharsetLabel: Equatable, Sendable {
    case utf8
    /// Also what the web means by ASCII and ISO-8859-1.
    case windows1252
    /// One that the system's `iconv` knows by this name.
    case iconv(String)
    /// No label, or none that means anything.
    case unknown

    /// Reads a label, in any case.
    package init(_ label: String) {
        let name = label.trimmingASCIISpace.lowercased()
        switch name {
        case "utf-8", "utf8", "unicode-1-1-utf-8": self = .utf8
        // A page that could declare UTF-16 in ASCII is not UTF-16: the standard reads it as UTF-8.
        case "utf-16", "utf-16le", "utf-16be": self = .utf8
        case "iso-8859-1", "iso8859-1", "iso_8859-1", "latin1", "latin-1", "l1", "ascii", "us-ascii", "windows-1252",
            "cp1252", "x-cp1252":
            self = .windows1252
        case "iso-8859-9", "latin5": self = .iconv("CP1254")
        case "gb2312", "gbk", "gb_2312-80", "x-gbk": self = .iconv("GB18030")
        case "shift_jis", "shift-jis", "sjis", "x-sjis", "ms_kanji", "windows-31j": self = .iconv("CP932")
        case "euc-kr", "ks_c_5601-1987", "korean": self = .iconv("CP949")
        case "big5", "big5-hkscs", "x-x-big5": self = .iconv("BIG5-HKSCS")
        default: self = Self.isName(name) ? .iconv(name.uppercased()) : .unknown
        }
    }

    /// Keeps options such as `//TRANSLIT`, and stateful encodings that browsers refuse for safety, away from iconv.
    private static func isName(_ name: String) -> Bool {
        let isPlain = name.utf8.allSatisfy { byte in
            (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte) || byte == 0x2D || byte == 0x5F || byte == 0x3A
        }
        return isPlain && name.isEmpty == false && name.utf8.count <= 40 && name != "utf-7"
            && name.hasPrefix("utf-32") == false && name.hasPrefix("ucs") == false
    }

    /// The label that the beginning of a page declares: `<meta charset=…>`, `charset=…` in the `content` of a `meta`,
    /// or `encoding=…` in an XML declaration.
    package static func declared(in head: Slice<UnsafeRawBufferPointer>) -> String? {
        let text = String(decoding: head.map { $0 < 0x80 ? asciiLowercase($0) : 0x3F }, as: UTF8.self)
        if text.hasPrefix("<?xml"), let end = text.firstRange(of: "?>"),
            let label = value(after: "encoding", in: text[..<end.lowerBound])
        {
            return label
        }
        var rest = text[...]
        while let open = rest.utf8.firstIndex(of: UInt8(ascii: "<")) {
            rest = rest[open...]
            if rest.hasPrefix("<!--") {
                guard let end = rest.dropFirst(4).firstRange(of: "-->") else { return nil }
                rest = rest[end.upperBound...]
            } else if rest.hasPrefix("<meta") {
                let tag = rest.prefix { $0 != ">" }
                if let label = value(after: "charset", in: tag) { return label }
                rest = rest[tag.endIndex...]
            } else {
                rest = rest.dropFirst()
            }
        }
        return nil
    }

    private static func asciiLowercase(_ byte: UInt8) -> UInt8 { (0x41...0x5A).contains(byte) ? byte | 0x20 : byte }

    /// The value in `name = "value"`, quoted or not.
    private static func value(after name: String, in text: Substring) -> String? {
        guard let found = text.firstRange(of: name) else { return nil }
        var rest = text[found.upperBound...].drop { $0.isWhitespace }
        guard rest.first == "=" else { return nil }
        rest = rest.dropFirst().drop { $0.isWhitespace || $0 == "\"" || $0 == "'" }
        let value = rest.prefix { $0.isWhitespace == false && $0 != "\"" && $0 != "'" && $0 != ";" && $0 != "/" }
        return value.isEmpty ? nil : String(value)
    }
}
