#if HTTP
    import CoreMetrics
    import MobiusProcess
    package import MobiusWire

    /// The metrics of a server in the text format of Prometheus: its responses, and the fleet's gauges from the fleet's status.
    package struct ServerMetrics: Sendable {
        static let contentType = MetricsText.contentType

        private let own = MetricsRegistry()

        package init() {}

        /// Counts a response by the first digit of its status.
        func count(_ status: Int) {
            Counter(label: FleetMetric.responses.rawValue, dimensions: [("status", "\(status / 100)xx")], factory: own)
                .increment()
        }

        /// The text, with the fleet's gauges if its status is known.
        package func text(_ status: FleetStatus?) -> String {
            own.set(.reached, status == nil ? 0 : 1)
            guard let status else { return own.text }
            let fleet = MetricsRegistry()
            fleet.set(.loops, status.loopCount)
            fleet.set(.heldLoops, status.heldCount ?? 0)
            fleet.set(.letters, status.letters)
            for pool in status.pools {
                fleet.set(.pending, pool.waiting.saturatingAdding(pool.running), pool: pool.pool)
                fleet.set(.running, pool.running, pool: pool.pool)
                fleet.set(.credit, pool.credit, pool: pool.pool)
                fleet.set(.workers, pool.workers, pool: pool.pool)
                fleet.set(.paused, pool.pause == nil ? 0 : 1, pool: pool.pool)
                fleet.set(.oldestAge, (pool.oldest ?? 0) / 1000, pool: pool.pool)
            }
            return own.text + fleet.text
        }
    }

    extension MetricsRegistry {
        fileprivate func set(_ metric: FleetMetric, _ value: some BinaryInteger, pool: String? = nil) {
            Gauge(label: metric.rawValue, dimensions: pool.map { [("pool", $0)] } ?? [], factory: self).record(value)
        }
    }
#endif
