package import Logging
import MobiusCommand

/// The server of an executable's probes and metrics.
///
/// `.probes` is every executable's; `.http`, of the product `MobiusHTTP`, serves a coordinator's loops, too.
public struct TelemetryServer: Sendable {
    /// Serves at an address while the work runs.
    ///
    /// It throws ``ProbeServerError`` when it cannot listen, before the work begins; otherwise what the work throws.
    package typealias Serve =
        @Sendable (HTTPAddress, Probes, Logger, _ work: () async throws -> Void) async throws -> Void

    package let serve: Serve

    /// The connections that a server takes: 1,024, or an eighth of the open files that the process may have.
    package static var connections: Int { max(32, min(1024, OpenFiles.limit / 8)) }

    package init(_ serve: @escaping Serve) {
        self.serve = serve
    }
}

/// What a ``TelemetryServer`` shows.
package struct Probes: Sendable {
    /// The source of the two probes.
    package let vitals: Vitals
    /// Returns the current text of the metrics; may wait for the socket thread.
    package let metrics: @Sendable () async -> String
    /// The content type of that text.
    package let metricsType = MetricsText.contentType
    /// The loops that it serves beside; `nil` in a worker.
    package let loops: (any LoopService)?

    package init(
        vitals: Vitals, loops: (any LoopService)? = nil, metrics: @escaping @Sendable () async -> String
    ) {
        self.vitals = vitals
        self.loops = loops
        self.metrics = metrics
    }
}

/// Nothing can be served at the address.
package struct ProbeServerError: Error, CustomStringConvertible {
    /// What is wrong, and what to do.
    package let description: String

    package init(_ description: String) {
        self.description = description
    }

    /// The address cannot be listened on.
    package init(address: String, underlying: any Error) {
        self.init(
            "Cannot serve probes and metrics on \(address): \(underlying). Choose another --http, or leave it out.")
    }
}
