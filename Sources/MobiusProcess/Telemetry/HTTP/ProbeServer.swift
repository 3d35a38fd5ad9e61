package import Logging

/// Serves `/livez`, `/readyz`, `/owner` and `/metrics` over HTTP/1.1, on a thread of its own.
///
/// Each answer ends its connection. The server needs no token: it shows figures and names of pools to everyone who can reach the
/// address, and never a loop.
package struct ProbeServer: Sendable {
    private let address: HTTPAddress
    private let probes: Probes
    private let logger: Logger

    /// The connections that a server takes: 1,024, or an eighth of the open files that the process may have.
    package static var connections: Int { max(32, min(1024, OpenFiles.limit / 8)) }

    /// Describes a server that does not run yet.
    package init(_ address: HTTPAddress, _ probes: Probes, _ logger: Logger) {
        (self.address, self.probes, self.logger) = (address, probes, logger)
    }

    /// Serves while the work runs.
    ///
    /// - Throws: ``ProbeServerError`` when it cannot listen, before the work begins; otherwise what the work throws.
    package func serving(_ work: () async throws -> Void) async throws {
        let server: SmallHTTPServer
        do {
            server = try SmallHTTPServer(
                host: address.host, port: address.port, .init(connections: Self.connections, closesAfterAnswer: true)
            ) { [probes] in Self.answer(to: $0, probes) }
        } catch {
            throw ProbeServerError(address: "\(address)", underlying: error)
        }
        logger.info("serving probes and metrics", metadata: ["address": "\(address.host)", "port": "\(server.port)"])
        do {
            try await work()
        } catch {
            await server.stop()
            throw error
        }
        await server.stop()
    }

    /// Probes are answered by the server's own thread, so that tasks that keep all of Swift's threads busy do not fail them.
    private static func answer(to request: SmallHTTPServer.Request, _ probes: Probes) -> SmallHTTPServer.Answer {
        guard request.method == "GET" || request.method == "HEAD" else {
            return .now(.init(405, headers: [(name: "Allow", value: "GET, HEAD")], Array("Only GET and HEAD.\n".utf8)))
        }
        switch request.path {
        case "/livez": return .now(response(to: probes.vitals.livenessFailure()))
        case "/readyz": return .now(response(to: probes.vitals.readinessFailure()))
        case "/owner": return .now(response(to: probes.vitals.ownerFailure()))
        case "/metrics": return .later { .init(200, type: probes.metricsType, Array(await probes.metrics().utf8)) }
        default: return .now(.init(404, "There are /livez, /readyz, /owner, /metrics.\n"))
        }
    }

    private static func response(to failure: String?) -> SmallHTTPServer.Response {
        failure.map { .init(503, "no: \($0)\n") } ?? .init(200, "ok\n")
    }
}

/// The content of a ``ProbeServer``.
package struct Probes: Sendable {
    /// The source of the probes.
    package let vitals: Vitals
    /// Returns the current text of the metrics; may wait for the socket thread.
    package let metrics: @Sendable () async -> String
    /// The content type of that text.
    let metricsType = MetricsText.contentType

    package init(vitals: Vitals, metrics: @escaping @Sendable () async -> String) {
        self.vitals = vitals
        self.metrics = metrics
    }
}

/// Nothing can be served at the address.
package struct ProbeServerError: Error, CustomStringConvertible {
    /// The fault, and the advice on what to do.
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
