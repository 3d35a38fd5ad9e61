import MobiusDriver
import MobiusEngine
import MobiusJournal
import MobiusWire

/// Writes the logs and metrics of a coordinator's driver; used by the socket thread.
final class EdgeObserver: CoordinatorObserver {
    let telemetry: EdgeTelemetry?
    private let log: CoordinatorLog
    private var throttles = NoteThrottles()
    /// The public key of each admitted worker, so that a peer with another key cannot claim its incarnation.
    var owners: [Incarnation: String] = [:]
    /// The name of each admitted worker that has one, as `--name` or the launcher gave it.
    var names: [Incarnation: String] = [:]

    init(log: CoordinatorLog, telemetry: EdgeTelemetry?) {
        self.log = log
        self.telemetry = telemetry
    }

    /// The time at which ``logSuppressed()`` has counts to log.
    var nextSuppressed: Moment? { throttles.nextSuppressed }

    /// Logs how many notes were suppressed.
    func logSuppressed() {
        for (kind, unlogged) in throttles.rest(at: .current) { log.rest(kind, unlogged: unlogged) }
    }

    func noted(_ note: CoordinatorNote) {
        let name = note.worker.flatMap { names[$0] }
        switch note {
        case .left(let incarnation, _), .lost(let incarnation, _):
            owners[incarnation] = nil
            names[incarnation] = nil
        case .loopRefused(let loop, _, _): telemetry?.metrics?.refused(loop)
        default: break
        }
        log.note(note, of: name, unlogged: throttles.admit(note, at: .current))
    }

    func failed(_ effect: EffectID, _ failure: EffectFailure) { log.failure(failure, of: effect) }

    func sent(_ orders: [EffectOrder], to peer: Peer, by machine: borrowing CoordinatorMachine) {
        telemetry?.metrics?.sent(orders, to: peer, machine)
    }

    func appending(
        _ ticket: Ticket, _ records: [JournalRecord], at now: Moment, by machine: borrowing CoordinatorMachine
    ) {
        telemetry?.metrics?.appended(records, at: now, machine)
    }
}

extension CoordinatorNote {
    /// The worker that it is about.
    fileprivate var worker: Incarnation? {
        switch self {
        case .joined(let worker, _, _, _), .suspected(let worker), .left(let worker, _), .lost(let worker, _),
            .draining(let worker), .redelivered(let worker, _):
            worker
        case .timedOut, .refused, .outranked, .unserved, .unreadable, .undelivered, .loopRefused: nil
        }
    }
}
