/// Makes foreign text safe for terminals and logs: characters that control a terminal are shown as their codes.
///
/// These are all control characters (U+0000 to U+001F, U+007F to U+009F, so escape sequences in 7 and in 8 bits), line
/// and paragraph separators, and format characters such as U+202E, which change the text direction. The joiners U+200C
/// and U+200D stay, because emoji and words need them.
package enum TerminalText {
    /// One line: `\n`, `\r`, `\t`, and other controls as `\u{1b}`.
    package static func line(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: isControl) else { return text }
        return text.unicodeScalars.reduce(into: "") { result, scalar in
            if isControl(scalar) {
                result += code(of: scalar)
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
    }

    /// The same for each line of `text`; its line breaks stay.
    package static func lines(_ text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false).map { line(String($0)) }.joined(separator: "\n")
    }

    /// Appends bytes of one line to `output`; tabs stay, and invalid UTF-8 is shown as `\x9b`.
    package static func append(_ bytes: some Collection<UInt8>, to output: inout [UInt8]) {
        let isDone: Void? = bytes.withContiguousStorageIfAvailable { append($0, to: &output) }
        if isDone == nil { Array(bytes).withUnsafeBufferPointer { append($0, to: &output) } }
    }

    private static func append(_ bytes: UnsafeBufferPointer<UInt8>, to output: inout [UInt8]) {
        var (plain, index) = (0, 0)
        while index < bytes.count {
            let byte = bytes[index]
            guard byte < 0x20 || byte >= 0x7F, byte != 0x09 else {
                index += 1
                continue
            }
            let (length, escaped) = escape(bytes[index...])
            if let escaped {
                output += bytes[plain..<index]
                output += escaped.utf8
                plain = index + length
            }
            index += length
        }
        output += bytes[plain...]
    }

    /// The length of the first character in bytes, and its replacement unless it may stay.
    private static func escape(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> (length: Int, escaped: String?) {
        var decoder = UTF8()
        var rest = bytes.makeIterator()
        guard case .scalarValue(let scalar) = decoder.decode(&rest) else {
            let byte = bytes[bytes.startIndex]
            return (1, "\\x" + (byte < 16 ? "0" : "") + String(byte, radix: 16))
        }
        return (UTF8.width(scalar), isControl(scalar) ? code(of: scalar) : nil)
    }

    private static func code(of scalar: Unicode.Scalar) -> String {
        switch scalar {
        case "\n": "\\n"
        case "\r": "\\r"
        case "\t": "\\t"
        default: "\\u{\(String(scalar.value, radix: 16))}"
        }
    }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.value < 0x7F { return scalar.value < 0x20 }
        return switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        case .format: !(scalar.value == 0x200D || scalar.value == 0x200C)
        default: false
        }
    }
}
