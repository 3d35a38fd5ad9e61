extension Supervisor {
    /// What happens to the fleet.
    package enum Input: Equatable, Sendable {
        /// Begin.
        case launch
        /// A process runs.
        case started(ProcessName, pid: Int32)
        /// A process could not be started; the reason is a sentence.
        case failedToStart(ProcessName, reason: String)
        /// A process ended.
        case ended(ProcessName, Termination)
        /// The operator's SIGTERM, SIGINT or SIGHUP to `mobius up`.
        case signal(Int32)
        /// A time asked for by ``Action/wake(at:)`` has come; extra ones do no harm.
        case wake
    }

    /// What is to be done.
    package enum Action: Equatable, Sendable {
        /// Start a process; answer with `started` or `failedToStart`, later with `ended`.
        case start(ProcessName)
        /// Ask a running process to stop (SIGTERM).
        case terminate(ProcessName)
        /// End a running process and what it started (SIGKILL to its group).
        case kill(ProcessName)
        /// Give input `wake` at this time (since the launch).
        case wake(at: Duration)
        /// Tell the operator.
        case note(Note)
        /// The fleet has ended: exit with this code, saying the sentence if there is one. The last action.
        case finish(code: Int32, sentence: String?)
    }

    /// What the operator reads in the log.
    package enum Note: Equatable, Sendable {
        /// A process runs.
        case started(ProcessName, pid: Int32)
        /// A process ended and will start again after the delay.
        case restarting(ProcessName, Termination, delay: Duration)
        /// A process could not be started again; it is tried again after the delay.
        case retrying(ProcessName, reason: String, delay: Duration)
        /// A process ended and stays so.
        case ended(ProcessName, Termination)
        /// The fleet stops: workers first.
        case stopping(because: String)
        /// A process did not stop within the grace and is killed.
        case overdue(ProcessName)
    }
}
