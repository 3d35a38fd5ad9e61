import Logging
import MobiusProcess

extension Launcher {
    /// Logs a note of the supervisor for the operator.
    func log(_ note: Supervisor.Note) {
        switch note {
        case .started(let name, let pid):
            logger.info("Started", metadata: ["process": "\(name)", "pid": "\(pid)"])
        case .restarting(let name, let end, let delay):
            logger.warning(
                "Ended, restarting",
                metadata: ["process": "\(name)", "because": "\(end)", "in": "\(DurationArgument(delay))"])
        case .retrying(let name, let reason, let delay):
            logger.warning(
                "Could not be started, trying again",
                metadata: ["process": "\(name)", "because": "\(reason)", "in": "\(DurationArgument(delay))"])
        case .ended(let name, let end):
            logger.info("Ended", metadata: ["process": "\(name)", "because": "\(end)"])
        case .unhealthy(let name, let problem):
            logger.warning("Not healthy, stopping it", metadata: ["process": "\(name)", "because": "\(problem)"])
        case .givenUp(let name, let reason, let left):
            logger.error(
                "Given up: not restarted any more, while the rest of the fleet runs on",
                metadata: [
                    "process": "\(name)", "because": "\(reason)", "workersLeft": "\(left)",
                    "do": "correct the reason, then start it with 'mobius scale'",
                ])
        case .scaling(let pool, let before, let after, let reason):
            logger.info(
                "Scaling", metadata: ["pool": "\(pool)", "from": "\(before)", "to": "\(after)", "because": "\(reason)"])
        case .retiring(let name):
            logger.info("No longer wanted", metadata: ["process": "\(name)"])
        case .replacing(let old, let new):
            logger.info("Replacing", metadata: ["process": "\(old)", "by": "\(new)"])
        case .replacementFailed(let pool, let reason):
            logger.warning("Not replaced, the old ones stay", metadata: ["pool": "\(pool)", "because": "\(reason)"])
        case .rolledBack(let name, let reason):
            logger.warning(
                "New build given up, starting the old one", metadata: ["process": "\(name)", "because": "\(reason)"])
        case .stopping(let reason):
            logger.info("Stopping the fleet", metadata: ["because": "\(reason)"])
        case .overdue(let name):
            logger.warning("Killed: it did not stop in time", metadata: ["process": "\(name)"])
        }
    }
}
