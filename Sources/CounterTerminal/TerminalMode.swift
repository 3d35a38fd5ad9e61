import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// How a terminal hands out what is typed: a line at a time, as usual, or every key at once and unseen.
///
/// Ctrl-C, Ctrl-Z and their kin stay signals, and line breaks in the output stay what they are.
final class TerminalMode: Sendable {
    private let descriptor: Int32
    private let usual: termios
    private let isOver = Mutex(false)

    /// Nil when the descriptor is no terminal.
    init?(descriptor: Int32) {
        var usual = termios()
        guard tcgetattr(descriptor, &usual) == 0 else { return nil }
        self.descriptor = descriptor
        self.usual = usual
    }

    /// Every key at once, unless ``end()`` was called.
    ///
    /// A process in the background leaves the terminal alone: changing it there would stop the process.
    func takeKeys() {
        isOver.withLock { isOver in
            guard !isOver, isInForeground else { return }
            var keys = usual
            keys.c_lflag &= ~tcflag_t(ICANON | ECHO)
            withUnsafeMutableBytes(of: &keys.c_cc) { characters in
                characters[Int(VMIN)] = 1
                characters[Int(VTIME)] = 0
            }
            tcsetattr(descriptor, TCSANOW, &keys)
        }
    }

    /// As it was before.
    func restore() {
        guard isInForeground else { return }
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

    /// Also true for a terminal that does not control this process, which nobody guards.
    private var isInForeground: Bool {
        let group = tcgetpgrp(descriptor)
        return group == -1 || group == getpgrp()
    }
}
