import MobiusDriver
import MobiusEngine
import MobiusRuntime
import MobiusTelemetry
import MobiusWire

/// The telemetry of a worker: log lines, metrics, liveness and readiness.
final class WorkerTelemetry: WorkerObserver {
    let log: WorkerLog
    private let vitals: Vitals
    private let metrics: WorkerMetrics?
    /// Where the worker connects, for log lines, if there may be several coordinators.
    var endpoint: String?

    init(log: WorkerLog, vitals: Vitals, metrics: WorkerMetrics?) {
        self.log = log
        self.vitals = vitals
        self.metrics = metrics
    }

    /// Records that the socket thread is running, for the liveness probe.
    func beat(at now: Moment) {
        vitals.beat(at: now.nanoseconds)
    }

    /// Records whether the worker has a session with a coordinator, for the readiness probe.
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
        log.note(note, at: endpoint)
        if case .joined = note { serves(true) }
        if case .coordinatorStopping = note { serves(false) }
    }
}
