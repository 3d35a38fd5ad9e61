public import MobiusTelemetry

extension TelemetryServer {
    /// Serves over HTTP/1.1, on one thread of its own and for at most 1,024 connections at once.
    ///
    /// A coordinator serves its loops, too: see the page HTTP of MobiusCoordinator.
    ///
    /// Set it in `configure(_:)`: `settings.telemetryServer = .http`. It stands on Hummingbird and SwiftNIO, which an
    /// executable without it does not compile.
    public static let http = TelemetryServer { address, probes, logger, work in
        try await HTTPServer(address, probes, logger: logger).serving(work)
    }
}
