extension TerminalText {
    /// The columns that a text takes on a terminal; wide characters take two.
    package static func width(_ text: String) -> Int {
        text.reduce(0) { $0 + ($1.unicodeScalars.first.map(isWide) == true ? 2 : 1) }
    }

    /// The longest beginning within so many columns, with `…` in place of what is missing.
    package static func cut(_ text: String, to columns: Int) -> String {
        guard width(text) > columns else { return text }
        var (result, used) = ("", 0)
        for character in text {
            let wide = width(String(character))
            guard used + wide < columns else { break }
            result.append(character)
            used += wide
        }
        return result + "…"
    }

    /// The text within so many columns, with `…` in place of what is missing in its middle.
    package static func shortened(_ text: String, to columns: Int) -> String {
        guard width(text) > columns else { return text }
        func beginning(_ characters: some Sequence<Character>, _ room: Int) -> [Character] {
            var used = 0
            return Array(
                characters.prefix { character in
                    used += width(String(character))
                    return used <= room
                })
        }
        let room = max(0, columns - 1)
        let end = beginning(text.reversed(), room / 2)
        return String(beginning(text, room - room / 2)) + "…" + String(end.reversed())
    }

    private static func isWide(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F,
            0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1F64F, 0x1F900...0x1FAFF, 0x20000...0x3FFFD:
            true
        default: false
        }
    }
}
