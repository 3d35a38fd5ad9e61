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
    private let server: TelemetryServer
    private let registry: MetricsRegistry?
    private let manager: ServiceManager?
    private let logger: Logger

    /// Prepares a process that serves at `http`, if anywhere.
    ///
    /// A metrics backend that the program installed gets all metrics, too; without one, the program's own metrics are
    /// served with the fleet's.
    package init(
        http: String?, server: TelemetryServer, logger: Logger,
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) {
        address = http.flatMap { HTTPAddress($0) }
        precondition(
            http == nil || address != nil, "Give http as address:port, such as 127.0.0.1:9464, not \(http ?? "").")
        self.server = server
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
    /// - Parameter loops: The loops that the server of the probes serves, too.
    /// - Throws: ``ProbeServerError`` when the address cannot be listened on, before the work begins.
    package func showing(
        refresh: @escaping @Sendable () async -> Void, loops: (any LoopService)? = nil,
        _ work: () async throws -> Void
    ) async throws {
        guard let manager else { return try await serving(refresh: refresh, loops, work) }
        try await ServiceReports(to: manager, of: vitals).reporting {
            try await serving(refresh: refresh, loops, work)
        }
    }

    private func serving(
        refresh: @escaping @Sendable () async -> Void, _ loops: (any LoopService)?, _ work: () async throws -> Void
    ) async throws {
        guard let address, let registry else { return try await work() }
        let probes = Probes(vitals: vitals, loops: loops) {
            await refresh()
            return registry.text
        }
        try await server.serve(address, probes, logger, work)
    }
}
