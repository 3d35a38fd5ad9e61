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
        /// The health command of this run of a process ended; what it found wrong, if anything.
        case probed(ProcessName, pid: Int32, problem: String?)
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
        /// Run the health command of a process, which has this pid; answer with `probed`.
        case probe(ProcessName, pid: Int32)
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
        /// The health command says so, and the process is stopped for it.
        case unhealthy(ProcessName, problem: String)
        /// The fleet stops: workers first.
        case stopping(because: String)
        /// A process did not stop within the grace and is killed.
        case overdue(ProcessName)
    }

    /// How the processes of a pool, or the coordinator, are looked after.
    package struct Rules: Equatable, Sendable {
        /// When one starts again.
        package var restart = RestartPolicy()
        /// How long one may take to stop by itself.
        package var grace: Duration = .seconds(10)
        /// How its health is found out, if at all.
        package var health: HealthRule?

        /// Makes the default rules; a coordinator restarts after crashes only.
        package init(restarts condition: RestartPolicy.Condition = .always) {
            restart.condition = condition
        }
    }

    /// A pool as the fleet begins.
    package struct Pool: Equatable, Sendable {
        /// Its name.
        package let name: String
        /// How many workers it has.
        package let replicas: Int
        /// How they are looked after.
        package let rules: Rules

        /// Describes a pool.
        package init(_ name: String, replicas: Int, rules: Rules = Rules()) {
            self.name = name
            self.replicas = replicas
            self.rules = rules
        }
    }
}
