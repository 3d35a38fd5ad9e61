/// The character references of attribute values (13.2.5.72 and following of the HTML standard).
enum CharacterReferences {
    /// The value that is written so: references decoded, line ends normalised.
    static func decode(_ written: Slice<UnsafeBufferPointer<UInt8>>) -> String {
        guard written.contains(where: { $0 == UInt8(ascii: "&") || $0 == 0x0D }) else {
            return String(decoding: written, as: UTF8.self)
        }
        var value: [UInt8] = []
        value.reserveCapacity(written.count)
        var rest = written
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "&"):
                if let text = reference(&rest) { value.append(contentsOf: text.utf8) } else { value.append(byte) }
            case 0x0D:
                if rest.first == 0x0A { rest.removeFirst() }
                value.append(0x0A)
            default: value.append(byte)
            }
        }
        return String(decoding: value, as: UTF8.self)
    }

    /// Returns the text of the reference behind an `&`; `nil`, and nothing is read, when there is none.
    private static func reference(_ rest: inout Slice<UnsafeBufferPointer<UInt8>>) -> String? {
        rest.first == UInt8(ascii: "#") ? numeric(&rest) : named(&rest)
    }

    /// Reads a named reference.
    ///
    /// The longest name counts. One without semicolon is none where `=`, a letter or a digit follows: queries are full of
    /// `&copy=1`.
    private static func named(_ rest: inout Slice<UnsafeBufferPointer<UInt8>>) -> String? {
        let longestName = 32
        let run = rest.prefix(longestName).prefix { $0.isLetter || $0.isDigit }
        let name = String(decoding: run, as: UTF8.self)
        if run.endIndex < rest.endIndex, rest[run.endIndex] == UInt8(ascii: ";"), let text = NamedReferences.all[name] {
            rest = rest[(run.endIndex + 1)...]
            return text
        }
        // A longer run goes on with a letter or a digit behind whatever name it begins with.
        guard NamedReferences.lengthsWithoutSemicolon.contains(run.count),
            run.endIndex == rest.endIndex || rest[run.endIndex] != UInt8(ascii: "="),
            let text = NamedReferences.withoutSemicolon[name]
        else { return nil }
        rest = rest[run.endIndex...]
        return text
    }

    private static func numeric(_ rest: inout Slice<UnsafeBufferPointer<UInt8>>) -> String? {
        var digits = rest.dropFirst()
        let isHexadecimal = digits.first.map { $0 | 0x20 } == UInt8(ascii: "x")
        if isHexadecimal { digits.removeFirst() }
        var code: UInt32 = 0
        let start = digits.startIndex
        while let next = digits.first, let value = value(next, isHexadecimal) {
            // Whatever is greater than every code point stays so.
            code = min(code * (isHexadecimal ? 16 : 10) + value, 0x11_0000)
            digits.removeFirst()
        }
        guard digits.startIndex > start else { return nil }
        if digits.first == UInt8(ascii: ";") { digits.removeFirst() }
        rest = digits
        return String(scalar(code))
    }

    private static func value(_ byte: UInt8, _ isHexadecimal: Bool) -> UInt32? {
        if byte.isDigit { return UInt32(byte - 0x30) }
        let letter = byte | 0x20
        return isHexadecimal && (0x61...0x66).contains(letter) ? UInt32(letter - 0x61 + 10) : nil
    }

    /// 0x80…0x9F mean the characters of windows-1252; what is no character is U+FFFD.
    private static func scalar(_ code: UInt32) -> Unicode.Scalar {
        if (0x80...0x9F).contains(code) { return PageText.windows1252(UInt8(code)) }
        return code == 0 ? "\u{FFFD}" : Unicode.Scalar(code) ?? "\u{FFFD}"
    }
}
