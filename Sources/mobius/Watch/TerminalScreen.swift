import MobiusCommand

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The whole terminal, borrowed: painted over and over, and given back as it was.
///
/// Not `Sendable`: one task paints.
struct TerminalScreen {
    private var before: termios?
    private var isEntered = false

    /// Whether there is a terminal to paint on.
    static var isThere: Bool { isatty(STDOUT_FILENO) == 1 }

    /// Takes the terminal: another screen than that of the shell, no cursor, no echo of what is typed.
    mutating func enter() {
        guard !isEntered else { return }
        isEntered = true
        var mode = termios()
        if tcgetattr(STDIN_FILENO, &mode) == 0 {
            before = mode
            mode.c_lflag &= ~tcflag_t(ICANON | ECHO)
            tcsetattr(STDIN_FILENO, TCSANOW, &mode)
        }
        Self.write("\u{1B}[?1049h\u{1B}[?25l")
    }

    /// Gives it back.
    mutating func leave() {
        guard isEntered else { return }
        isEntered = false
        Self.write("\u{1B}[?25h\u{1B}[?1049l")
        if var mode = before { tcsetattr(STDIN_FILENO, TCSANOW, &mode) }
        before = nil
    }

    /// Paints lines over what is there, in one write, so that nothing flickers: no line is cleared before it is written.
    ///
    /// Nothing while the terminal is given back.
    func paint(_ lines: [String], width: Int) {
        guard isEntered else { return }
        // Terminals that know it show nothing between these two marks; the others pass over them.
        var text = "\u{1B}[?2026h\u{1B}[H"
        for (index, line) in lines.enumerated() {
            if index > 0 { text += "\r\n" }
            text += line
            // Behind a line that fills the screen's width, the cursor still stands on its last character.
            if TerminalText.width(line) < width { text += "\u{1B}[K" }
        }
        Self.write(text + "\u{1B}[J\u{1B}[?2026l")
    }

    /// Columns and rows.
    static var size: (width: Int, height: Int) {
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else {
            return (80, 24)
        }
        return (Int(size.ws_col), Int(size.ws_row))
    }

    private static func write(_ text: String) {
        Array(text.utf8).withUnsafeBytes { _ = StandardError.writeAll($0, to: STDOUT_FILENO) }
    }
}
