import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The input mode of a terminal: line by line, as usual, or every key at once and without echo.
///
/// Ctrl-C, Ctrl-Z and similar keys still send signals, and line breaks in the output are not changed.
final class TerminalMode: Sendable {
    private let descriptor: Int32
    private let usual: termios
    private let isOver = Mutex(false)

    /// Nil when the descriptor is not a terminal.
    init?(descriptor: Int32) {
        var usual = termios()
        guard tcgetattr(descriptor, &usual) == 0 else { return nil }
        if usual.c_lflag & tcflag_t(ICANON | ECHO) == 0 {
            // A killed process may have left the mode changed, and not every shell restores it.
            usual.c_lflag |= tcflag_t(ICANON | ECHO)
        }
        self.descriptor = descriptor
        self.usual = usual
    }

    /// Every key at once, unless ``end()`` was called.
    ///
    /// A process in the background leaves the terminal alone: changing it there would stop the process. False then.
    @discardableResult
    func takeKeys() -> Bool {
        isOver.withLock { isOver in
            guard !isOver, TerminalOwner.isUs(descriptor) else { return false }
            var keys = usual
            keys.c_lflag &= ~tcflag_t(ICANON | ECHO)
            withUnsafeMutableBytes(of: &keys.c_cc) { characters in
                characters[Int(VMIN)] = 1
                characters[Int(VTIME)] = 0
            }
            tcsetattr(descriptor, TCSANOW, &keys)
            return true
        }
    }

    /// As it was before.
    func restore() {
        guard TerminalOwner.isUs(descriptor) else { return }
        var usual = usual
        tcsetattr(descriptor, TCSANOW, &usual)
    }

    /// As it was before, for good.
    func end() {
        isOver.withLock { isOver in
            if !isOver { restore() }
            isOver = true
        }
    }
}

/// Ownership of a terminal.
enum TerminalOwner {
    /// Whether this process is in its foreground; also true for a terminal that is not its controlling terminal.
    static func isUs(_ descriptor: Int32) -> Bool {
        let group = tcgetpgrp(descriptor)
        return group == -1 || group == getpgrp()
    }
}
