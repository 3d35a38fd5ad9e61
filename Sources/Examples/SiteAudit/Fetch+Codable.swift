// A page is encoded as three texts, which are readable in a journal:
//
//     base      what the page's URLs begin with most often
//     links     a line for each: line number, kind (c is a stylesheet, else its first letter), address, and the fragment if there is one
//     anchors   a line for each
//
// An address begins with `+` when `base` is omitted, with `=` when it is complete, with `!` when it is as the author
// wrote it. Blanks, line ends and percent signs in fragments, anchors and written addresses are percent-encoded. So they
// are in an address that begins with `*`: a complete URL with blanks or line ends, as only a faulty worker reports.
extension FetchedPage {
    private enum Key: String, CodingKey {
        case base, links, anchors
    }

    /// Reads the three texts.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        let base = try container.decode(String.self, forKey: .base)
        let lines = try container.decode(String.self, forKey: .links)
        links = try lines.utf8.split(separator: UInt8(ascii: "\n")).map { line in
            guard let link = FetchedLink(line: line, base: base) else {
                throw DecodingError.dataCorruptedError(
                    forKey: .links, in: container, debugDescription: "a line is no link")
            }
            return link
        }
        let names = try container.decode(String.self, forKey: .anchors)
        anchors = names.utf8.split(separator: UInt8(ascii: "\n")).map { LineText.decode($0) }
    }

    /// Writes the three texts.
    public func encode(to encoder: any Encoder) throws {
        let base = Self.commonBase(of: links)
        var lines: [UInt8] = []
        for link in links { link.append(to: &lines, base: base) }
        var names: [UInt8] = []
        for anchor in anchors {
            LineText.append(anchor, to: &names)
            names.append(UInt8(ascii: "\n"))
        }
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(base, forKey: .base)
        try container.encode(String(decoding: lines, as: UTF8.self), forKey: .links)
        try container.encode(String(decoding: names, as: UTF8.self), forKey: .anchors)
    }

    /// The folder of the first URL: most links of most pages are below it.
    private static func commonBase(of links: [FetchedLink]) -> String {
        guard let url = links.lazy.compactMap(\.url).first, let slash = url.lastIndex(of: "/") else { return "" }
        return String(url[...slash])
    }
}

extension FetchedLink {
    private static let kinds: [UInt8: Kind] = Dictionary(
        uniqueKeysWithValues: Kind.allCases.map { ($0.letter, $0) })

    /// Reads what `append` wrote.
    fileprivate init?(line text: Substring.UTF8View, base: String) {
        let fields = text.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
        guard fields.count == 3 || fields.count == 4, let line = Int(Substring(fields[0])), fields[1].count == 1,
            let letter = fields[1].first, let kind = Self.kinds[letter], let mark = fields[2].first
        else { return nil }
        let address = fields[2].dropFirst()
        switch mark {
        case UInt8(ascii: "+"): url = base + String(Substring(address))
        case UInt8(ascii: "="): url = String(Substring(address))
        case UInt8(ascii: "*"): url = LineText.decode(address)
        case UInt8(ascii: "!"): url = nil
        default: return nil
        }
        written = url == nil ? LineText.decode(address) : ""
        fragment = fields.count == 4 ? LineText.decode(fields[3]) : nil
        self.line = line
        self.kind = kind
    }

    fileprivate func append(to lines: inout [UInt8], base: String) {
        lines.append(contentsOf: "\(line) ".utf8)
        lines.append(kind.letter)
        lines.append(UInt8(ascii: " "))
        if let url, url.utf8.contains(where: { $0 <= 0x20 }) {
            lines.append(UInt8(ascii: "*"))
            LineText.append(url, to: &lines)
        } else if let url {
            // By bytes: `hasPrefix` also takes other bytes for the same letter.
            let isNear = !base.isEmpty && url.utf8.starts(with: base.utf8)
            lines.append(isNear ? UInt8(ascii: "+") : UInt8(ascii: "="))
            lines.append(contentsOf: isNear ? url.utf8.dropFirst(base.utf8.count) : url.utf8[...])
        } else {
            lines.append(UInt8(ascii: "!"))
            LineText.append(written, to: &lines)
        }
        if let fragment {
            lines.append(UInt8(ascii: " "))
            LineText.append(fragment, to: &lines)
        }
        lines.append(UInt8(ascii: "\n"))
    }
}

extension FetchedLink.Kind {
    fileprivate var letter: UInt8 {
        switch self {
        case .document: UInt8(ascii: "d")
        case .image: UInt8(ascii: "i")
        case .script: UInt8(ascii: "s")
        case .stylesheet: UInt8(ascii: "c")
        case .other: UInt8(ascii: "o")
        }
    }
}

/// Encodes blanks and line ends.
private enum LineText {
    static func append(_ text: String, to bytes: inout [UInt8]) {
        for byte in text.utf8 {
            if byte <= 0x20 || byte == UInt8(ascii: "%") {
                bytes.append(UInt8(ascii: "%"))
                bytes.append(hexadecimal[Int(byte >> 4)])
                bytes.append(hexadecimal[Int(byte & 15)])
            } else {
                bytes.append(byte)
            }
        }
    }

    static func decode(_ text: Substring.UTF8View) -> String {
        guard text.contains(UInt8(ascii: "%")) else { return String(Substring(text)) }
        return String(decoding: PercentCoding.decode(text), as: UTF8.self)
    }

    private static let hexadecimal = Array("0123456789ABCDEF".utf8)
}
