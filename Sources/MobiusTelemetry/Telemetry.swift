package import CoreMetrics
import Foundation
package import Logging

/// How a running process shows itself: its metrics, its probes, and its word to the service manager.
///
/// Off unless it is asked for: without an address and a metrics backend of the program's own, nothing is counted.
package struct Telemetry: Sendable {
    /// What its metrics are made with; nil when nobody looks at them.
    package let factory: (any MetricsFactory)?
    /// Whether the program has a backend of its own, which does not ask for values before it takes them.
    package let pushes: Bool
    /// What the socket thread tells of itself.
    package let vitals = Vitals()

    private let address: HTTPAddress?
    private let registry: MetricsRegistry?
    private let manager: ServiceManager?
    private let logger: Logger

    /// Prepares a process that serves at `http`, if anywhere.
    ///
    /// A metrics backend that the program gave to swift-metrics gets all metrics, too; without one, the program's own
    /// metrics are served beside the fleet's.
    package init(
        http: String?, logger: Logger, environment: [String: String] = ProcessInfo.processInfo.environment
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

    /// Does the work of the process and shows it meanwhile; `refresh` brings the gauges up to date before each scrape.
    ///
    /// - Throws: ``ProbeServerError`` when the address cannot be listened on, before the work begins.
    package func showing(refresh: @escaping @Sendable () async -> Void, _ work: () async throws -> Void) async throws {
        guard let manager else { return try await serving(refresh: refresh, work) }
        try await ServiceReports(to: manager, of: vitals).reporting {
            try await serving(refresh: refresh, work)
        }
    }

    private func serving(
        refresh: @escaping @Sendable () async -> Void, _ work: () async throws -> Void
    ) async throws {
        guard let address, let registry else { return try await work() }
        let server = ProbeServer(address, vitals: vitals, logger: logger) {
            await refresh()
            return registry.text
        }
        try await server.serving(work)
    }
}
