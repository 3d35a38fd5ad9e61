import MobiusLauncher
import Testing

@Suite("Prefixed lines")
struct LinePrefixerTests {
    /// What comes out for pieces that arrive one after the other, and at the end.
    private func output(_ pieces: String...) -> [String] {
        var prefixer = LinePrefixer(prefix: "w.1 | ")
        let outputs = pieces.map { prefixer.append($0) } + [prefixer.finish()]
        return outputs.map { String(decoding: $0, as: UTF8.self) }
    }

    @Test("Whole lines, empty lines, Windows line ends")
    func whole() {
        #expect(output("a\n\nb\r\n") == ["w.1 | a\nw.1 | \nw.1 | b\n", ""])
        #expect(output("") == ["", ""])
    }

    @Test("Pieces of a line wait for its end")
    func partial() {
        #expect(output("a", "b\nc", "\n") == ["", "w.1 | ab\n", "w.1 | c\n", ""])
        #expect(output("a\r", "\nb") == ["", "w.1 | a\n", "w.1 | b\n"])
        #expect(output("caf", "é\n") == ["", "w.1 | café\n", ""])
    }

    @Test("What controls a terminal is shown as its code, in one line")
    func controls() {
        #expect(output("\u{1B}[2Ja\u{9B}31mb\tc\rd\u{7}\n") == [#"w.1 | \u{1b}[2Ja\u{9b}31mb\#tc\rd\u{7}"# + "\n", ""])
        #expect(output("a\u{202E}b\u{2066}é👨‍👩‍👧\n") == [#"w.1 | a\u{202e}b\u{2066}é👨‍👩‍👧"# + "\n", ""])
        var prefixer = LinePrefixer(prefix: "> ")
        // The 8-bit form of an escape sequence, half a character, and a zero byte.
        let bytes: [UInt8] = [0x9B, 0x32, 0x4A, 0xC3, 0x0A, 0x00, 0xE2, 0x82, 0x0A]
        let text = String(decoding: bytes.withUnsafeBytes { prefixer.append($0) }, as: UTF8.self)
        #expect(text == #"> \x9b2J\xc3"# + "\n" + #"> \u{0}\xe2\x82"# + "\n")
    }

    @Test("Raw output is passed as it is")
    func raw() {
        var prefixer = LinePrefixer(prefix: "> ", isRaw: true)
        #expect(prefixer.append("\u{1B}[31mred\u{9B}0m\n") == Array("> \u{1B}[31mred\u{9B}0m\n".utf8))
    }

    @Test("A line of a million bytes stays one line")
    func long() {
        var prefixer = LinePrefixer(prefix: "> ")
        let piece = String(repeating: "x", count: 50_000)
        for _ in 0..<20 {
            #expect(prefixer.append(piece).isEmpty)
        }
        #expect(prefixer.append("\n").count == 2 + 1_000_000 + 1)
    }

    @Test("An endless line is broken, and nothing of it is lost")
    func endless() {
        var prefixer = LinePrefixer(prefix: "> ")
        let output = prefixer.append(String(repeating: "x", count: LinePrefixer.longestLine + 3))
        #expect(output.count == 2 + LinePrefixer.longestLine + 1)
        #expect(prefixer.finish() == Array("> xxx\n".utf8))
    }
}

extension LinePrefixer {
    fileprivate mutating func append(_ text: String) -> [UInt8] {
        Array(text.utf8).withUnsafeBytes { append($0) }
    }
}
