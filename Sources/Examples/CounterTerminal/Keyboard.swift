import MobiusCommand
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The keys typed at a terminal, or read from a pipe.
///
/// From ``init(descriptor:)`` to ``close()`` a terminal delivers each key at once, without echo. Its mode is restored
/// while Ctrl-Z stops the process, and before Ctrl-\ ends it; in the background, the keys belong to the shell. Only
/// SIGKILL leaves the mode changed (`stty sane` restores it, and so does the next run).
public final class Keyboard: Sendable {
    private let reader: InputReader
    private let mode: TerminalMode?
    private let signals: SignalWatch?
    /// Last key first.
    private let typed = Mutex<[Key]>([])

    /// Takes over the terminal, if the descriptor (default: standard input) is one.
    ///
    /// - Parameters:
    ///   - onReturn: Called on a separate thread when the process continues in the foreground after a stop, when the
    ///     screen shows other text.
    public init(descriptor: Int32 = 0, onReturn: @escaping @Sendable () -> Void = {}) {
        let mode = TerminalMode(descriptor: descriptor)
        let reader = InputReader(descriptor: descriptor) {
            if mode?.takeKeys() == true { onReturn() }
        }
        self.reader = reader
        self.mode = mode
        signals = mode.map { mode in
            SignalWatch([SIGTSTP, SIGCONT, SIGQUIT, SIGHUP]) { signal, _ in
                switch signal {
                case SIGTSTP:
                    mode.restore()
                    ThreadSignals.stopAsUsual()
                    if mode.takeKeys() { onReturn() }
                case SIGCONT:
                    if mode.takeKeys() { onReturn() }
                case SIGQUIT:
                    mode.end()
                    _exit(128 + SIGQUIT)
                default: reader.stop()  // the terminal is gone: an end of the input
                }
            }
        }
        mode?.takeKeys()
    }

    deinit {
        close()
    }

    /// The next keys; the sequence ends with the input, with ``close()``, and when the reading task is cancelled.
    ///
    /// For one reader. Only keys that arrive together are read ahead.
    public var keys: AsyncStream<Key> {
        AsyncStream { await self.next() }
    }

    /// Whether keys come from a terminal.
    public var isTerminal: Bool { mode != nil }

    /// Restores the terminal and ends the keys; may be called several times.
    public func close() {
        mode?.end()
        reader.stop()
    }

    private func next() async -> Key? {
        while true {
            if let key = typed.withLock({ $0.popLast() }) { return key }
            guard let bytes = await reader.read() else { return nil }
            typed.withLock { $0 = bytes.reversed().compactMap(Key.init(byte:)) }
        }
    }
}
