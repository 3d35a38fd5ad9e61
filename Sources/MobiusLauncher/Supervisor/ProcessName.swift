/// Identifies a process of the fleet: the coordinator, or one worker of a pool.
package enum ProcessName: Hashable, Sendable, CustomStringConvertible {
    /// The coordinator, with the fleet's name.
    case coordinator(String)
    /// A worker; indexes begin at 1.
    case worker(pool: String, index: Int)

    /// The name in logs and prefixes: `site-audit`, `page-fetcher.1`.
    package var description: String {
        switch self {
        case .coordinator(let name): name
        case .worker(let pool, let index): "\(pool).\(index)"
        }
    }
}

/// The end of a process.
package enum Termination: Hashable, Sendable, CustomStringConvertible {
    /// By itself, with this code.
    case exited(Int32)
    /// By a signal: it crashed or was killed.
    case signaled(Int32)

    /// The code that a shell would show: the exit code, or 128 + the signal.
    package var code: Int32 {
        switch self {
        case .exited(let code): code
        case .signaled(let signal): 128 + signal
        }
    }

    /// `exit code 3`, `signal 9`.
    package var description: String {
        switch self {
        case .exited(let code): "exit code \(code)"
        case .signaled(let signal): "signal \(signal)"
        }
    }
}
