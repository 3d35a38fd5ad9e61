import CoreMetrics
import MobiusEngine
import MobiusProcess
import MobiusWire

/// The metrics of a worker, used on the socket thread only.
///
/// It is not created if metrics are off.
final class WorkerMetrics {
    private let connected: Gauge
    private let running: Gauge
    private let finished: Counter
    private let failed: Counter
    private let time: Timer
    private var starts: [AttemptID: Moment] = [:]

    /// Creates the metrics of a worker, whose pools share one dimension, because an order does not contain its pool.
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
