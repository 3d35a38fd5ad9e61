import MobiusDriver
import MobiusEngine
import MobiusJournal
import MobiusWire

/// Logs and counts what a coordinator's driver does.
final class EdgeObserver: CoordinatorObserver {
    let telemetry: EdgeTelemetry?
    private let log: CoordinatorLog
    private var throttles = NoteThrottles()
    /// The key that each worker came with, so that nobody takes another's name.
    var owners: [Incarnation: String] = [:]

    init(log: CoordinatorLog, telemetry: EdgeTelemetry?) {
        self.log = log
        self.telemetry = telemetry
    }

    /// When ``logRest()`` has something to log.
    var nextRest: ContinuousClock.Instant? { throttles.nextRest }

    /// Logs how many notes became no line.
    func logRest() {
        for (kind, unlogged) in throttles.rest(at: .now) { log.rest(kind, unlogged: unlogged) }
    }

    func noted(_ note: CoordinatorNote) {
        switch note {
        case .left(let incarnation, _), .lost(let incarnation, _): owners[incarnation] = nil
        default: break
        }
        log.note(note, unlogged: throttles.admit(note, at: .now))
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
