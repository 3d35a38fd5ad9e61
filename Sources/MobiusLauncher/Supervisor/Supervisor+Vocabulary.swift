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
        /// What the coordinator says of its pools and workers, and how long it took to; nil when it did not answer.
        case status(Sample?, took: Duration)
        /// The operator wants another number of workers; answered under the number of the request.
        case scale([ScaleOrder], request: Int)
        /// The operator wants new processes in a pool; told and answered under the number of the request.
        case replace(pool: String, request: Int)
        /// The operator wants to know of all processes.
        case list(request: Int)
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
        /// Ask the coordinator for its status; answer with `status`.
        case askStatus
        /// Tell whoever made the request how it goes on.
        case tell(request: Int, String)
        /// Answer the request, for the last time.
        case answer(request: Int, Answer)
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
        /// A pool gets another number of workers.
        case scaling(pool: String, from: Int, to: Int, because: String)
        /// A worker that is no longer wanted ends, or is gone when it was not running.
        case retiring(ProcessName)
        /// A new worker does the work of an old one, which ends now.
        case replacing(ProcessName, by: ProcessName)
        /// A pool keeps the old workers that are left.
        case replacementFailed(pool: String, reason: String)
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
        /// When a new one counts as ready, unless a health command says so.
        package var readiness = Readiness.session
        /// A new one that is not ready by then is given up.
        package var readyLimit: Duration = .seconds(60)

        /// Makes the default rules; a coordinator restarts after crashes only.
        package init(restarts condition: RestartPolicy.Condition = .always) {
            restart.condition = condition
        }
    }

    /// When a worker counts as ready.
    package enum Readiness: Equatable, Sendable {
        /// When the coordinator has a session with it.
        case session
        /// When it has run for so long.
        case after(Duration)
    }

    /// A pool as the fleet begins.
    package struct Pool: Equatable, Sendable {
        /// Its name.
        package let name: String
        /// How many workers it has.
        package let replicas: Replicas
        /// How they are looked after.
        package let rules: Rules
        /// When it grows and shrinks.
        package let scaling: AutoScaler.Rule
        /// How many effects one worker runs at once, as far as that is known.
        package let slots: Int

        /// Describes a pool.
        package init(
            _ name: String, replicas: Replicas, rules: Rules = Rules(), scaling: AutoScaler.Rule = .init(),
            slots: Int = 1
        ) {
            self.name = name
            self.replicas = replicas
            self.rules = rules
            self.scaling = scaling
            self.slots = slots
        }
    }
}
