/// Texts as HTML.
enum HTMLText {
    private static let special = Set("&<>\"'\n\r".utf8)

    /// For element content and quoted attributes alike, on one line.
    static func escaped(_ text: String) -> String {
        guard text.utf8.contains(where: special.contains) else { return text }
        var result = ""
        result.reserveCapacity(text.utf8.count + 16)
        for character in text.unicodeScalars {
            switch character {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "'": result += "&#39;"
            case "\n": result += "&#10;"
            case "\r": result += "&#13;"
            default: result.unicodeScalars.append(character)
            }
        }
        return result
    }

    /// A link to `url`, if a report may safely link to it; otherwise its text only.
    static func link(_ url: String, text: String? = nil) -> String {
        let shown = escaped(text ?? url)
        // A truncated URL would lead elsewhere.
        guard url.utf8.count <= ReportRow.longestText, WebURL(url) != nil else { return shown }
        return "<a href=\"\(escaped(url))\" rel=\"noreferrer\">\(shown)</a>"
    }

    /// With a thin space between thousands.
    static func number(_ number: Int) -> String {
        var digits = String(number)
        var groups: [Substring] = []
        while digits.count > 3 {
            groups.insert(digits.suffix(3), at: 0)
            digits.removeLast(3)
        }
        return ([digits[...]] + groups).joined(separator: "\u{202F}")
    }

    /// `1 page`, `2 pages`.
    static func count(_ number: Int, _ one: String, _ many: String) -> String {
        "\(self.number(number)) \(number == 1 ? one : many)"
    }
}

/// Texts as JSON strings (RFC 8259, 7).
enum JSONText {
    static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            case "\u{0}"..."\u{1F}":
                result += "\\u00" + (scalar.value < 16 ? "0" : "") + String(scalar.value, radix: 16)
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }

    /// A number of seconds with milliseconds at most.
    static func seconds(_ seconds: Double) -> String {
        let rounded = (max(0, seconds) * 1000).rounded() / 1000
        return rounded.isFinite ? "\(rounded)" : "0.0"
    }
}
