public import MobiusTelemetry

extension TelemetryServer {
    /// Serves probes, metrics and a coordinator's loops over HTTP/1.1, on one thread and for at most 1,024 connections at once.
    ///
    /// Set it in `configure(_:)`: `settings.telemetryServer = .http`; see the page HTTP of MobiusCoordinator. It stands on
    /// Hummingbird and SwiftNIO, which nobody fetches or compiles without the package's trait `HTTP`; in a build without the trait
    /// a process that is to serve ends with what to build with.
    public static let http: TelemetryServer = {
        #if HTTP
            http(HTTPLimits())
        #else
            TelemetryServer { address, _, _, _ in
                throw ProbeServerError(
                    "Cannot serve loops on \(address): this build has no HTTP server. Build again with the trait HTTP (`Deploy/build --traits "
                        + "HTTP` in a clone, or `traits: [\"HTTP\"]` at the dependency), or leave --http out.")
            }
        #endif
    }()

    #if HTTP
        /// The same with other limits, for tests that do not wait for the usual ones.
        package static func http(_ limits: HTTPLimits) -> TelemetryServer {
            TelemetryServer { address, probes, logger, work in
                try await HTTPServer(address, probes, limits, logger: logger).serving(work)
            }
        }
    #endif
}
