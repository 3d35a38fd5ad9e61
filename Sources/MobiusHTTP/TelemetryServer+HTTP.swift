public import MobiusTelemetry

extension TelemetryServer {
    /// Serves over HTTP/1.1, on one thread of its own and for at most 1,024 connections at once.
    ///
    /// A coordinator serves its loops, too: see the page HTTP of MobiusCoordinator.
    ///
    /// Set it in `configure(_:)`: `settings.telemetryServer = .http`. It stands on Hummingbird and SwiftNIO, which an
    /// executable without it does not compile.
    public static let http = http(HTTPLimits())

    /// The same with other limits, for tests that do not wait for the usual ones.
    package static func http(_ limits: HTTPLimits) -> TelemetryServer {
        TelemetryServer { address, probes, logger, work in
            try await HTTPServer(address, probes, limits, logger: logger).serving(work)
        }
    }
}
