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
