import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The log lines of a program whose view has the terminal: they wait until the process exits.
///
/// The newest ``limit`` lines are kept. `exit` writes them, after the view is closed; a process that is killed loses them, so
/// a program that must not lose them uses `--log-file`.
enum WaitingLog {
    /// The most lines that are kept.
    static let limit = 1000

    private struct State {
        var lines: [String] = []
        var dropped = 0
        var isRegistered = false
    }

    private static let state = Mutex(State())

    /// Keeps a line until the process exits.
    static func append(_ line: String) {
        state.withLock { state in
            if !state.isRegistered {
                state.isRegistered = true
                atexit { WaitingLog.write() }
            }
            if state.lines.count == limit {
                state.lines.removeFirst(limit / 2)
                state.dropped += limit / 2
            }
            state.lines.append(line)
        }
    }

    /// Writes the lines to standard error, once.
    static func write() {
        let (lines, dropped) = state.withLock { state in
            defer { (state.lines, state.dropped) = ([], 0) }
            return (state.lines, state.dropped)
        }
        if dropped > 0 { StandardError.write("(\(dropped) earlier log lines were dropped; --log-file keeps all)\n") }
        if !lines.isEmpty { StandardError.write(lines.joined()) }
    }
}
