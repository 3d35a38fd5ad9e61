import Logging

extension TelemetryServer {
    /// Serves `/livez`, `/readyz`, `/owner` and `/metrics` over HTTP/1.1, on a thread of its own; it has no loops.
    ///
    /// Every coordinator and worker has it unless it chooses another. Each answer ends its connection. The server needs no token: it
    /// shows figures and names of pools to everyone who can reach the address.
    public static let probes = TelemetryServer { address, probes, logger, work in
        let server: SmallHTTPServer
        do {
            server = try SmallHTTPServer(
                host: address.host, port: address.port, .init(connections: connections, closesAfterAnswer: true)
            ) { answer(to: $0, probes) }
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
