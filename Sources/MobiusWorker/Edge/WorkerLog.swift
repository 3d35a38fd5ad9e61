import Logging
import MobiusEngine
import MobiusKeys
import MobiusRuntime
import MobiusWire
import ZeroMQ

/// The worker's log lines: constant messages, values as metadata.
struct WorkerLog: Sendable {
    let logger: Logger

    func note(_ note: WorkerNote) {
        switch note {
        case .joined(let epoch, let session):
            logger.info("joined the coordinator", metadata: ["epoch": "\(epoch)", "session": "\(session)"])
        case .silent: logger.warning("the coordinator is silent, reconnecting")
        case .coordinatorStopping: logger.info("the coordinator stops, waiting for its return")
        case .refusedEpoch(let epoch, let newest):
            logger.error(
                "refused a coordinator of an old epoch",
                metadata: ["epoch": "\(epoch)", "newest": "\(newest)"])
        case .otherJournal(let dropped):
            logger.notice("the coordinator has another journal now", metadata: ["dropped": "\(dropped)"])
        case .malformed(let error):
            logger.warning("malformed message from the coordinator", metadata: ["reason": "\(error)"])
        case .draining(let held): logger.info("draining", metadata: ["unfinished": "\(held)"])
        }
    }

    func connecting(to endpoint: String) {
        logger.info("connecting to the coordinator", metadata: ["endpoint": "\(endpoint)"])
    }

    func unreached(_ endpoint: String, _ warning: ReachWatch.Warning, _ problem: String?) {
        logger.warning(
            "no coordinator reached, still trying",
            metadata: [
                "endpoint": "\(endpoint)", "for": "\(warning.lasting.components.seconds)s",
                "error": "\(problem ?? warning.problem ?? "what listens there does not answer as a coordinator does")",
            ])
    }

    func left(handled: Int) {
        logger.info("left", metadata: ["finished": "\(handled)"])
    }

    func failed(_ id: AttemptID, _ failure: HandlerFailure) {
        let metadata: Logger.Metadata = ["effect": "\(id)", "reason": "\(failure)"]
        if failure.retryable {
            logger.notice("effect failed, may be retried", metadata: metadata)
        } else {
            logger.error("effect failed", metadata: metadata)
        }
    }

    func connection(_ event: MonitorEvent) {
        switch event.kind {
        case .handshakeFailed: logger.warning("connection refused", metadata: ["event": "\(event)"])
        default: logger.trace("connection", metadata: ["event": "\(event)"])
        }
    }
}
