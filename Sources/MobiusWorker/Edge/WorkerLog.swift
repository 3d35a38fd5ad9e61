import Logging
import MobiusEngine
import MobiusRuntime
import MobiusTransport
import MobiusWire

/// The worker's log lines: constant messages, values as metadata.
struct WorkerLog: Sendable {
    let logger: Logger

    /// - Parameter endpoint: The endpoint of the coordinator, if there may be several.
    func note(_ note: WorkerNote, at endpoint: String?) {
        let place: Logger.Metadata = endpoint.map { ["endpoint": "\($0)"] } ?? [:]
        switch note {
        case .joined(let epoch, let session):
            logger.info(
                "joined the coordinator",
                metadata: place.merging(["epoch": "\(epoch)", "session": "\(session)"]) { $1 })
        case .silent: logger.warning("the coordinator is silent, reconnecting", metadata: place)
        case .disconnected: logger.notice("lost the coordinator, looking for the next one", metadata: place)
        case .coordinatorStopping: logger.info("the coordinator stops, waiting for its return")
        case .refusedEpoch(let epoch, let newest):
            logger.error(
                "refused a coordinator of an old epoch",
                metadata: place.merging(["epoch": "\(epoch)", "newest": "\(newest)"]) { $1 })
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

    /// A coordinator named an endpoint that this worker cannot connect to.
    func unusable(_ endpoint: String, _ error: any Error) {
        logger.warning(
            "the endpoint of the owner cannot be used", metadata: ["endpoint": "\(endpoint)", "reason": "\(error)"])
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

    /// - Parameter isQuiet: Whether failures are frequent, so that only the warning of ``unreached(_:_:_:)`` tells of them.
    func connection(_ event: MonitorEvent, isQuiet: Bool) {
        switch event.kind {
        case .handshakeFailed where !isQuiet: logger.warning("connection refused", metadata: ["event": "\(event)"])
        default: logger.trace("connection", metadata: ["event": "\(event)"])
        }
    }
}
