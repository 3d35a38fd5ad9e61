import MobiusDriver
import MobiusEngine
import MobiusRuntime
import MobiusTelemetry
import MobiusWire

/// What a worker shows of its work: log lines, metrics, and whether it lives and serves.
final class WorkerTelemetry: WorkerObserver {
    let log: WorkerLog
    private let vitals: Vitals
    private let metrics: WorkerMetrics?

    init(log: WorkerLog, vitals: Vitals, metrics: WorkerMetrics?) {
        self.log = log
        self.vitals = vitals
        self.metrics = metrics
    }

    /// The edge's thread is at work.
    func beat(at now: Moment) {
        vitals.beat(at: now.nanoseconds)
    }

    /// Whether a coordinator sends it effects.
    func serves(_ serves: Bool) {
        vitals.serves(serves)
        metrics?.isConnected(serves)
    }

    func received(_ message: CoordinatorMessage) {}

    func begins(_ orders: [EffectOrder], at now: Moment) {
        metrics?.began(orders, at: now)
    }

    func ended(_ id: AttemptID, _ failure: HandlerFailure?, at now: Moment) {
        metrics?.ended(id, hasFailed: failure != nil, at: now)
        if let failure { log.failed(id, failure) }
    }

    func note(_ note: WorkerNote) {
        log.note(note)
        if case .joined = note { serves(true) }
        if case .coordinatorStopping = note { serves(false) }
    }
}
