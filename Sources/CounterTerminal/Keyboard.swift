import MobiusCommand
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The keys that are typed at a terminal, or come through a pipe.
///
/// A terminal hands them out at once and does not show them, from ``init(descriptor:)`` to ``close()``. Meanwhile it is
/// put back for as long as Ctrl-Z stops the process, and before Ctrl-\ ends it; in the background, keys are the shell's.
/// Only SIGKILL leaves it as it is (`stty sane` helps, and so does the next orderly run).
public final class Keyboard: Sendable {
    private let reader: InputReader
    private let mode: TerminalMode?
    private let signals: SignalWatch?
    /// Last key first.
    private let typed = Mutex<[Key]>([])

    /// Takes over the terminal, if the descriptor (default: standard input) is one.
    ///
    /// - Parameters:
    ///   - onReturn: Called on a thread of its own when the process goes on in the foreground after a stop: the screen shows
    ///     other things now.
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

    /// The keys to come; it ends with the input, with ``close()``, and when the reading task is cancelled.
    ///
    /// For one reader. Nothing is read ahead of it but what came at once.
    public var keys: AsyncStream<Key> {
        AsyncStream { await self.next() }
    }

    /// Whether somebody types: keys come from a terminal.
    public var isTerminal: Bool { mode != nil }

    /// Puts the terminal back and ends the keys; any number of times.
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
