/// A MIME type, as far as a link audit cares (WHATWG MIME Sniffing and Fetch standards).
package struct MediaType: Equatable, Sendable {
    /// Type and subtype in lower case without parameters, such as `text/html`.
    package var essence: String
    /// The `charset` parameter in lower case; `nil` when there is none.
    package var charset: String?

    /// Whether a body of this type is read for links.
    package var isHTML: Bool { essence == "text/html" || essence == "application/xhtml+xml" }

    /// Reads one value ("parse a MIME type"); `nil` when it is no type.
    package init?(header: String) {
        var parts = Self.split(header, at: UInt8(ascii: ";"))
        let essence = parts.removeFirst().lowercased()
        let names = essence.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard names.count == 2, names.allSatisfy({ Self.isToken($0.utf8) }) else { return nil }
        self.init(essence, charset: parts.lazy.compactMap(Self.charset(in:)).first)
    }

    /// Reads all `Content-Type` fields of an answer ("extract a MIME type"): the last type there counts, and takes over
    /// the charset of those before it that are the same type.
    package init?(headers: [String]) {
        var found: MediaType?
        for value in headers.flatMap({ Self.split($0, at: UInt8(ascii: ",")) }) {
            guard var type = MediaType(header: value), type.essence != "*/*" else { continue }
            if type.essence == found?.essence { type.charset = type.charset ?? found?.charset }
            found = type
        }
        guard let found else { return nil }
        self = found
    }

    init(_ essence: String, charset: String? = nil) {
        self.essence = essence
        self.charset = charset
    }

    /// The trimmed parts of a header's value: a separator in a quoted string is none.
    private static func split(_ header: String, at separator: UInt8) -> [String] {
        var parts: [[UInt8]] = [[]]
        var isQuoted = false
        var isEscaped = false
        for byte in header.utf8 {
            if byte == separator, isQuoted == false {
                parts.append([])
                continue
            }
            if byte == UInt8(ascii: "\""), isEscaped == false { isQuoted.toggle() }
            isEscaped = isQuoted && isEscaped == false && byte == UInt8(ascii: "\\")
            parts[parts.count - 1].append(byte)
        }
        return parts.map { String(decoding: $0, as: UTF8.self).trimmingASCIISpace }
    }

    /// The value of a parameter `charset=value`, quoted or not.
    private static func charset(in parameter: String) -> String? {
        let halves = parameter.split(separator: "=", maxSplits: 1)
        guard halves.count == 2, halves[0].lowercased() == "charset" else { return nil }
        guard halves[1].first == "\"" else { return halves[1].lowercased() }
        var value = ""
        var rest = halves[1].dropFirst()
        while let character = rest.popFirst(), character != "\"" {
            value.append(character == "\\" ? rest.popFirst() ?? "\\" : character)
        }
        return value.lowercased()
    }

    /// Whether this is a token of RFC 9110.
    private static func isToken(_ text: Substring.UTF8View) -> Bool {
        text.isEmpty == false
            && text.allSatisfy { $0 > 0x20 && $0 < 0x7F && "\"(),/:;<=>?@[\\]{}".utf8.contains($0) == false }
    }
}

extension StringProtocol {
    /// Without HTML's white space (and other control characters) at both ends.
    var trimmingASCIISpace: String {
        var bytes = Substring(self).utf8
        while let first = bytes.first, first <= 0x20 { bytes.removeFirst() }
        while let last = bytes.last, last <= 0x20 { bytes.removeLast() }
        return String(Substring(bytes))
    }
}
