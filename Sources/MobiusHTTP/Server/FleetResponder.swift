#if HTTP
    import HTTPTypes
    import Hummingbird
    import HummingbirdCore
    import MobiusTelemetry
    import NIOCore

    /// Answers the requests of one server.
    struct FleetResponder: Sendable {
        private let probes: Probes
        private let connections: ConnectionCap
        private let gateway: Gateway?

        init(_ probes: Probes, _ connections: ConnectionCap, _ limits: HTTPLimits) {
            self.probes = probes
            self.connections = connections
            gateway = probes.loops.map { Gateway($0, limits) }
        }

        /// Answers a request that came on a connection.
        func respond(to request: Request, on channel: any Channel) async -> Response {
            connections.began(on: channel)
            var response = await answer(request, on: channel)
            let body = response.body
            response.body = ResponseBody(contentLength: body.contentLength) { [connections] writer in
                defer { connections.ended(on: channel) }
                try await body.write(writer)
            }
            return request.method == .head ? response.createHeadResponse() : response
        }

        private func answer(_ request: Request, on channel: any Channel) async -> Response {
            if let gateway, let response = await gateway.respond(to: request, on: channel) { return response }
            return await probe(request, on: channel)
        }

        /// Probes and metrics need no token: they show figures and names of pools to everyone who can reach the address.
        private func probe(_ request: Request, on channel: any Channel) async -> Response {
            guard request.method == .get || request.method == .head else {
                return .text(.methodNotAllowed, "Only GET and HEAD.\n", headers: [.allow: "GET, HEAD"])
                    .endingConnection(of: channel)
            }
            let response: Response
            switch request.uri.path {
            case "/livez": response = .probe(probes.vitals.livenessFailure())
            case "/readyz": response = .probe(probes.vitals.readinessFailure())
            case "/owner": response = .probe(probes.vitals.ownerFailure())
            case "/metrics": response = .text(.ok, await probes.metrics(), type: probes.metricsType)
            default:
                let more = gateway == nil ? "" : ", /loops and /openapi.json"
                response = .text(.notFound, "There are /livez, /readyz, /owner, /metrics\(more).\n")
            }
            return request.hasBody ? response.endingConnection(of: channel) : response
        }
    }

    extension Request {
        /// Whether a body follows, which must be read before the connection's next request.
        var hasBody: Bool {
            headers[.transferEncoding] != nil || headers[.contentLength].map { $0 != "0" } == true
        }
    }
#endif
