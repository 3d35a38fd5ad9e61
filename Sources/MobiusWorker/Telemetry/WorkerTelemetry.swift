import MobiusDriver
import MobiusEngine
import MobiusProcess
import MobiusRuntime
import MobiusWire

/// The telemetry of a worker, or of one of its shards: log lines, metrics, liveness and readiness.
final class WorkerTelemetry: WorkerObserver {
    let log: WorkerLog
    private let vitals: Vitals
    private let metrics: WorkerMetrics?
    /// The shards with a session.
    private let sessions: Sessions
    private let shard: UInt32
    /// The endpoint to which the worker connects, for log lines, if there may be several coordinators.
    var endpoint: String?

    private final class Sessions {
        var shards: Set<UInt32> = []
    }

    convenience init(log: WorkerLog, vitals: Vitals, metrics: WorkerMetrics?) {
        self.init(log: log, vitals: vitals, metrics: metrics, Sessions(), 0)
    }

    private init(
        log: WorkerLog, vitals: Vitals, metrics: WorkerMetrics?, _ sessions: Sessions, _ shard: UInt32
    ) {
        self.log = log
        self.vitals = vitals
        self.metrics = metrics
        self.sessions = sessions
        self.shard = shard
    }

    /// The telemetry of a shard.
    func observer(of shard: UInt32) -> WorkerTelemetry {
        shard == self.shard
            ? self : WorkerTelemetry(log: log, vitals: vitals, metrics: metrics, sessions, shard)
    }

    /// Records that the socket thread is running, for the liveness probe.
    func beat(at now: Moment) {
        vitals.beat(at: now.nanoseconds)
    }

    /// Records whether the worker has a session with the shard's coordinator; with one of any it is ready.
    func serves(_ serves: Bool) {
        if serves { sessions.shards.insert(shard) } else { sessions.shards.remove(shard) }
        vitals.serves(!sessions.shards.isEmpty)
        metrics?.isConnected(!sessions.shards.isEmpty)
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
