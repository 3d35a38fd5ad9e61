import Logging
import MobiusEngine
import MobiusTransport
import MobiusWire

/// The coordinator's log lines, with constant messages and values as metadata.
struct CoordinatorLog: Sendable {
    let logger: Logger

    /// Logs a note, about the worker of this name; `unlogged` is the number of suppressed notes of its kind before it.
    ///
    /// With `nil` the note itself is suppressed: it is logged at the level `debug` only.
    func note(_ note: CoordinatorNote, of name: String?, unlogged: Int?) {
        var (level, message, metadata) = Self.line(note)
        if let name { metadata["name"] = "\(name)" }
        if unlogged == nil { level = .debug }
        if let unlogged, unlogged > 0 { metadata["unlogged"] = "\(unlogged)" }
        logger.log(level: level, message, metadata: metadata)
    }

    private static func line(_ note: CoordinatorNote) -> (Logger.Level, Logger.Message, Logger.Metadata) {
        switch note {
        case .joined(let worker, let pools, let build, let adopted):
            let metadata: Logger.Metadata = [
                "worker": "\(worker)", "pools": "\(pools.joined(separator: ","))", "build": "\(build)",
                "adopted": "\(adopted)",
            ]
            return (.info, "worker joined", metadata)
        case .suspected(let worker): return (.notice, "worker is silent", ["worker": "\(worker)"])
        case .left(let worker, let effects):
            return (.info, "worker left", ["worker": "\(worker)", "effects": "\(effects)"])
        case .lost(let worker, let effects):
            return (
                .warning, "worker lost, its effects go to others", ["worker": "\(worker)", "effects": "\(effects)"]
            )
        case .draining(let worker): return (.info, "worker drains", ["worker": "\(worker)"])
        case .timedOut(let attempt, let timeout, let worker):
            return (
                .notice, "an attempt ran out of time",
                ["attempt": "\(attempt)", "worker": "\(worker)", "reason": "\(timeout.rawValue)"]
            )
        case .redelivered(let worker, let effects):
            return (.notice, "orders were lost and sent again", ["worker": "\(worker)", "effects": "\(effects)"])
        case .refused(_, let reason): return (.warning, "peer refused", ["reason": "\(reason)"])
        case .outranked(_, let later, let own):
            let reason = "epoch \(own) of this coordinator is over: \(later) began"
            return (.warning, "peer refused", ["reason": "\(reason)"])
        case .unserved(let pool, let effects):
            // The pool is in the message, too, so that the log, `mobius status` and `mobius effects` say the same words.
            return (
                .warning, "\(EffectSummary.unserved(pool)), and effects wait for it",
                ["pool": "\(pool)", "effects": "\(effects)"]
            )
        case .unreadable(let attempt, let reason):
            return (.error, "a worker's event cannot be read", ["attempt": "\(attempt)", "reason": "\(reason)"])
        case .undelivered(let effect, let loop):
            return (
                .notice, "a loop's event for another loop could not be delivered",
                ["effect": "\(effect)", "loop": "\(loop)"]
            )
        case .loopRefused(let loop, let limit, nil):
            return (
                .warning, "a new loop was refused: there are as many as --max-loops",
                ["loop": "\(loop)", "limit": "\(limit)"]
            )
        case .loopRefused(let loop, let limit, let kind?):
            return (
                .warning, "a new loop was refused: there are as many as its program's maximumLoops",
                ["loop": "\(loop)", "kind": "\(kind)", "limit": "\(limit)"]
            )
        }
    }

    /// Logs how many notes of a kind were suppressed.
    func rest(_ kind: NoteThrottles.Kind, unlogged: Int) {
        logger.notice("more of these were not logged", metadata: ["kind": "\(kind)", "unlogged": "\(unlogged)"])
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
