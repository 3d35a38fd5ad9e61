extension Supervisor {
    /// Events that the supervisor handles.
    package enum Input: Equatable, Sendable {
        /// Launch the fleet.
        case launch
        /// A process has started.
        case started(ProcessName, pid: Int32)
        /// A process could not be started; the reason is a sentence.
        case failedToStart(ProcessName, reason: String)
        /// A process has ended.
        case ended(ProcessName, Termination)
        /// The health check of this run of a process has ended; `problem` is nil when the process is healthy.
        case probed(ProcessName, pid: Int32, problem: String?)
        /// The coordinator's status, and how long the reply took; nil when it did not answer.
        case status(Sample?, took: Duration)
        /// An operator changes the number of workers; the answer carries the number of the request.
        case scale([ScaleRequest], request: Int)
        /// An operator replaces the workers of a pool; progress and the answer carry the number of the request.
        case replace(pool: String, request: Int)
        /// An operator restarts or replaces the coordinator; progress and the answer carry the number of the request.
        case change(CoordinatorOrder, request: Int)
        /// The build that runs was kept for this request, or cannot be, because of `problem`.
        case kept(request: Int, problem: String?)
        /// The new build has verified the journal for this request, or could not, because of `problem`.
        case verified(request: Int, problem: String?)
        /// An operator requests the status of all processes.
        case list(request: Int)
        /// SIGTERM, SIGINT or SIGHUP was sent to `mobius up`.
        case signal(Int32)
        /// A time requested by ``Action/wake(at:)`` has come; additional ones are harmless.
        case wake
    }

    /// Actions for the launcher.
    package enum Action: Equatable, Sendable {
        /// Start a process; feed back `started` or `failedToStart`, and later `ended`.
        case start(ProcessName)
        /// Start a process with the build that was kept; otherwise like `start`.
        case startKept(ProcessName)
        /// Keep the build that a running process executes, in place of any other; feed back `kept`.
        case keep(ProcessName, request: Int)
        /// Let the new build of a process verify its journal; feed back `verified`.
        case verify(ProcessName, request: Int)
        /// Release the build that was kept.
        case discardKept
        /// Ask a running process to stop (SIGTERM).
        case terminate(ProcessName)
        /// Kill a running process and its group (SIGKILL).
        case kill(ProcessName)
        /// Check the health of a process, which has this pid; feed back `probed`.
        case probe(ProcessName, pid: Int32)
        /// Request the coordinator's status; feed back `status`.
        case askStatus
        /// Report progress to the client that made the request.
        case tell(request: Int, String)
        /// Send the final reply to a request.
        case answer(request: Int, Answer)
        /// Feed back `wake` at this time since the launch.
        case wake(at: Duration)
        /// Log a note.
        case note(Note)
        /// The fleet has ended: exit with this code and print the sentence, if there is one. Always the last action.
        case finish(code: Int32, sentence: String?)
    }

    /// An entry in the operator's log.
    package enum Note: Equatable, Sendable {
        /// A process has started.
        case started(ProcessName, pid: Int32)
        /// A process has ended and will be restarted after the delay.
        case restarting(ProcessName, Termination, delay: Duration)
        /// A process could not be restarted; it is tried again after the delay.
        case retrying(ProcessName, reason: String, delay: Duration)
        /// A process has ended and will not be restarted.
        case ended(ProcessName, Termination)
        /// A health check has failed too often, so the process is stopped.
        case unhealthy(ProcessName, problem: String)
        /// A worker ends too often, or for a reason that no restart mends: it is not restarted, and this many workers of
        /// its pool are left.
        case givenUp(ProcessName, reason: String, left: Int)
        /// The number of workers of a pool changes.
        case scaling(pool: String, from: Int, to: Int, because: String)
        /// A worker that is not needed any more is stopped, or removed if it was not running.
        case retiring(ProcessName)
        /// A new worker is ready, so the old one is stopped.
        case replacing(ProcessName, by: ProcessName)
        /// A replacement was aborted; the remaining old workers stay.
        case replacementFailed(pool: String, reason: String)
        /// The coordinator's new build was given up; the old one is started again.
        case rolledBack(ProcessName, reason: String)
        /// The fleet is being stopped, workers first.
        case stopping(because: String)
        /// A process did not stop within its grace and is killed.
        case overdue(ProcessName)
    }

    /// The rules by which the coordinator, or the workers of a pool, are supervised.
    package struct Rules: Equatable, Sendable {
        /// The rule for restarts of a process.
        package var restart = RestartPolicy()
        /// The time that a process may take to stop before it is killed.
        package var grace: Duration = .seconds(10)
        /// The rule of its health check; nil for none.
        package var health: HealthRule?
        /// The condition on which a new worker counts as ready; ignored if it has a health check.
        package var readiness = Readiness.session
        /// A new worker that is not ready within this time aborts the replacement.
        package var readyLimit: Duration = .seconds(60)

        /// The default rules, with this restart condition.
        package init(restarts condition: RestartPolicy.Condition = .always) {
            restart.condition = condition
        }
    }

    /// The condition for a worker to count as ready.
    package enum Readiness: Equatable, Sendable {
        /// The coordinator has a session with it.
        case session
        /// It has run for this time.
        case after(Duration)
    }

    /// The initial configuration of a pool.
    package struct Pool: Equatable, Sendable {
        /// Its name.
        package let name: String
        /// The number of its workers.
        package let replicas: Replicas
        /// The rules by which its workers are supervised.
        package let rules: Rules
        /// The rule for changes of its number of workers, if it is automatic.
        package let scaling: AutoScaler.Rule
        /// The number of effects that one worker runs at once, as far as it is known.
        package let slots: Int

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
