package import CoreMetrics
import Foundation
package import Logging

/// The telemetry of a running process: metrics, probes, and notifications of the service manager.
///
/// Off by default: without an address and without a metrics backend of the program, nothing is counted.
package struct Telemetry: Sendable {
    /// The factory of its metrics; nil when metrics are off.
    package let factory: (any MetricsFactory)?
    /// Whether the program has its own backend, to which values are pushed.
    package let pushes: Bool
    /// The state of the socket thread.
    package let vitals = Vitals()

    private let address: HTTPAddress?
    private let registry: MetricsRegistry?
    private let manager: ServiceManager?
    private let logger: Logger

    /// Prepares a process that serves at `http`, if anywhere.
    ///
    /// A metrics backend that the program installed gets all metrics, too; without one, the program's own metrics are
    /// served with the fleet's.
    package init(
        http: String?, logger: Logger,
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) {
        address = http.flatMap { HTTPAddress($0) }
        precondition(
            http == nil || address != nil, "Give http as address:port, such as 127.0.0.1:9464, not \(http ?? "").")
        manager = ServiceManager(environment: environment)
        self.logger = logger
        let (registry, factory) = Backend.shared.factory(serving: address != nil)
        self.registry = registry
        self.factory = factory
        pushes = Backend.shared.own != nil
        if let factory {
            Gauge(label: FleetMetric.start.rawValue, factory: factory).record(Date().timeIntervalSince1970)
        }
    }

    /// Runs the work of the process with its telemetry; `refresh` updates the gauges before each scrape.
    ///
    /// - Throws: ``ProbeServerError`` when the address cannot be listened on, before the work begins.
    package func showing(
        refresh: @escaping @Sendable () async -> Void, _ work: () async throws -> Void
    ) async throws {
        guard let manager else { return try await serving(refresh: refresh, work) }
        try await ServiceReports(to: manager, of: vitals).reporting {
            try await serving(refresh: refresh, work)
        }
    }

    private func serving(
        refresh: @escaping @Sendable () async -> Void, _ work: () async throws -> Void
    ) async throws {
        guard let address, let registry else { return try await work() }
        let probes = Probes(vitals: vitals) {
            await refresh()
            return registry.text
        }
        try await ProbeServer(address, probes, logger).serving(work)
    }
}
