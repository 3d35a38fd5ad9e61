import Logging
import MobiusEngine
import MobiusWire
import ZeroMQ

/// The coordinator's log lines: constant messages, values as metadata.
struct CoordinatorLog: Sendable {
    let logger: Logger

    func note(_ note: CoordinatorNote) {
        switch note {
        case .joined(let worker, let pools, let build, let adopted):
            logger.info(
                "worker joined",
                metadata: [
                    "worker": "\(worker)", "pools": "\(pools.joined(separator: ","))", "build": "\(build)",
                    "adopted": "\(adopted)",
                ])
        case .suspected(let worker): logger.notice("worker is silent", metadata: ["worker": "\(worker)"])
        case .left(let worker, let effects):
            logger.info("worker left", metadata: ["worker": "\(worker)", "effects": "\(effects)"])
        case .lost(let worker, let effects):
            logger.warning(
                "worker lost, its effects go to others", metadata: ["worker": "\(worker)", "effects": "\(effects)"])
        case .draining(let worker): logger.info("worker drains", metadata: ["worker": "\(worker)"])
        case .redelivered(let worker, let effects):
            logger.notice(
                "orders were lost and sent again", metadata: ["worker": "\(worker)", "effects": "\(effects)"])
        case .refused(_, let reason): logger.warning("peer refused", metadata: ["reason": "\(reason)"])
        case .unserved(let pool, let effects):
            logger.notice(
                "effects wait for a pool that no worker serves", metadata: ["pool": "\(pool)", "effects": "\(effects)"])
        case .unreadable(let attempt, let reason):
            logger.error(
                "a worker's event cannot be read", metadata: ["attempt": "\(attempt)", "reason": "\(reason)"])
        }
    }

    func failure(_ failure: EffectFailure, of effect: EffectID) {
        logger.debug("effect failed", metadata: ["effect": "\(effect)", "reason": "\(failure)"])
    }

    func connectionFailed(_ event: MonitorEvent, unlogged: Int) {
        logger.notice("connection failed", metadata: ["event": "\(event)", "unlogged": "\(unlogged)"])
    }

    func strangeRoutingID(_ id: PeerID) {
        logger.debug("a peer with a routing id of its own was ignored", metadata: ["id": "\(id)"])
    }
}
