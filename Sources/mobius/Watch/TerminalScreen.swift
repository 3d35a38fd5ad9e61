import MobiusCommand

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The terminal in full-screen mode: repainted repeatedly, and restored at the end.
///
/// Not `Sendable`: only one task paints.
struct TerminalScreen {
    private var before: termios?
    private var isEntered = false

    /// Whether standard output is a terminal.
    static var isThere: Bool { isatty(STDOUT_FILENO) == 1 }

    /// Enters full-screen mode: the alternate screen, no cursor, no echo of typed characters.
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

    /// Leaves full-screen mode and restores the terminal.
    mutating func leave() {
        guard isEntered else { return }
        isEntered = false
        Self.write("\u{1B}[?25h\u{1B}[?1049l")
        if var mode = before { tcsetattr(STDIN_FILENO, TCSANOW, &mode) }
        before = nil
    }

    /// Paints lines over the previous ones in one write.
    ///
    /// No line is cleared before it is overwritten, so nothing flickers.
    ///
    /// Does nothing outside of full-screen mode.
    func paint(_ lines: [String], width: Int) {
        guard isEntered else { return }
        // Terminals that support synchronized output show nothing between these two marks; others ignore them.
        var text = "\u{1B}[?2026h\u{1B}[H"
        for (index, line) in lines.enumerated() {
            if index > 0 { text += "\r\n" }
            text += line
            // After a line of the full width, the cursor still stands on its last character.
            if TerminalText.width(line) < width { text += "\u{1B}[K" }
        }
        Self.write(text + "\u{1B}[J\u{1B}[?2026l")
    }

    /// The size of the terminal in columns and rows; 80 × 24 when it is unknown.
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
