/// The address in a `<meta http-equiv=refresh content=…>` (HTML standard, "shared declarative refresh steps").
package enum MetaRefresh {
    /// The address that `content` sends the visitor to; `nil` when it only reloads the page or is malformed.
    package static func url(in content: String) -> String? {
        var rest = Substring(content.trimmingASCIISpace).utf8
        let seconds = rest.prefix { isDigit($0) || $0 == UInt8(ascii: ".") }
        guard seconds.isEmpty == false else { return nil }
        rest = rest.dropFirst(seconds.count)
        guard let separator = rest.first, separator <= 0x20 || isMark(separator) else { return nil }
        rest = rest.drop { $0 <= 0x20 }
        if let first = rest.first, isMark(first) { rest = rest.dropFirst() }
        rest = rest.drop { $0 <= 0x20 }
        let address = unquoted(dropName(rest))
        return address.isEmpty ? nil : address
    }

    private static func isMark(_ byte: UInt8) -> Bool { byte == UInt8(ascii: ";") || byte == UInt8(ascii: ",") }

    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

    /// Without a leading `url =`, which the standard makes optional.
    private static func dropName(_ text: Substring.UTF8View) -> Substring.UTF8View {
        guard String(text.prefix(3))?.lowercased() == "url" else { return text }
        var rest = text.dropFirst(3).drop { $0 <= 0x20 }
        guard rest.first == UInt8(ascii: "=") else { return text }
        rest = rest.dropFirst()
        return rest.drop { $0 <= 0x20 }
    }

    /// Returns the text in quotes, when it begins with one: the closing one may be missing.
    private static func unquoted(_ text: Substring.UTF8View) -> String {
        guard let quote = text.first, quote == UInt8(ascii: "'") || quote == UInt8(ascii: "\"") else {
            return String(Substring(text)).trimmingASCIISpace
        }
        return String(Substring(text.dropFirst().prefix { $0 != quote })).trimmingASCIISpace
    }
}
