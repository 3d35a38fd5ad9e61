import CoreMetrics
import MobiusEngine
import MobiusTelemetry
import MobiusWire

/// What a worker counts while it works; used on the socket thread only.
///
/// Where nobody looks at metrics there is none of these, and nothing is counted.
final class WorkerMetrics {
    private let connected: Gauge
    private let running: Gauge
    private let finished: Counter
    private let failed: Counter
    private let time: Timer
    private var starts: [AttemptID: Moment] = [:]

    /// Counts for a worker of these pools; an order does not say which of them it is for.
    init(_ factory: any MetricsFactory, pools: [String]) {
        let pool = [("pool", pools.joined(separator: ","))]
        func ended(_ outcome: String) -> Counter {
            Counter(
                label: FleetMetric.workerEnded.rawValue, dimensions: pool + [("outcome", outcome)], factory: factory)
        }
        connected = Gauge(label: FleetMetric.connected.rawValue, factory: factory)
        running = Gauge(label: FleetMetric.workerRunning.rawValue, dimensions: pool, factory: factory)
        finished = ended("finished")
        failed = ended("failed")
        time = Timer(label: FleetMetric.handlerTime.rawValue, dimensions: pool, factory: factory)
        connected.record(0)
        running.record(0)
    }

    func isConnected(_ isConnected: Bool) {
        connected.record(isConnected ? 1 : 0)
    }

    func began(_ orders: [EffectOrder], at now: Moment) {
        guard !orders.isEmpty else { return }
        for order in orders { starts[order.id] = now }
        running.record(starts.count)
    }

    func ended(_ id: AttemptID, hasFailed: Bool, at now: Moment) {
        guard let start = starts.removeValue(forKey: id) else { return }
        (hasFailed ? failed : finished).increment()
        time.recordNanoseconds(now.nanoseconds - start.nanoseconds)
        running.record(starts.count)
    }
}
