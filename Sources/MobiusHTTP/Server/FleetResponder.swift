#if HTTP
    import HTTPTypes
    import Hummingbird
    import HummingbirdCore
    package import MobiusWire
    import NIOCore

    /// The functions that give a server its probes and metrics, which it shows beside loops.
    package struct ServerProbes: Sendable {
        /// Returns the reason why the server cannot answer for loops now; `nil` when it can.
        let unreadiness: @Sendable () async -> String?
        /// Returns the fleet's status for the metrics; `nil` when it is not known.
        let status: @Sendable () async -> FleetStatus?

        package init(
            unreadiness: @escaping @Sendable () async -> String?, status: @escaping @Sendable () async -> FleetStatus?
        ) {
            (self.unreadiness, self.status) = (unreadiness, status)
        }
    }

    /// Answers the requests of one server.
    struct FleetResponder: Sendable {
        private let probes: ServerProbes
        private let connections: ConnectionCap
        private let responses: ByteBudget
        private let gateway: Gateway
        private let metrics: ServerMetrics

        init(
            _ service: any LoopService, _ probes: ServerProbes, _ connections: ConnectionCap, _ limits: HTTPLimits,
            _ responses: ByteBudget, _ metrics: ServerMetrics
        ) {
            (self.probes, self.connections, self.responses, self.metrics) = (probes, connections, responses, metrics)
            gateway = Gateway(service, limits, responses)
        }

        /// Answers a request that came on a connection.
        func respond(to request: Request, on channel: any Channel) async -> Response {
            connections.began(on: channel)
            var response = await answer(request, on: channel)
            metrics.count(response.status.code)
            // Nothing here is markup or a script of another site's page, whatever a payload looks like.
            response.headers[.contentTypeOptions] = "nosniff"
            response.headers[.crossOriginResourcePolicy] = "same-origin"
            let body = response.body
            response.body = ResponseBody(contentLength: body.contentLength) { [connections] writer in
                defer { connections.ended(on: channel) }
                try await body.write(writer)
            }
            return request.method == .head ? response.createHeadResponse() : response
        }

        private func answer(_ request: Request, on channel: any Channel) async -> Response {
            if let response = await gateway.respond(to: request, on: channel) { return response }
            if let response = Dashboard.response(to: request, on: channel, responses) {
                return request.hasBody ? response.endingConnection(of: channel) : response
            }
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
            case "/livez": response = .probe(nil)
            case "/readyz": response = .probe(await probes.unreadiness())
            case "/metrics": response = await metrics(on: channel)
            default:
                response = .text(
                    .notFound,
                    "There are /, /loops, /status, /effects, /letters, /session, /openapi.json, /livez, /readyz and /metrics.\n"
                )
            }
            return request.hasBody ? response.endingConnection(of: channel) : response
        }

        private func metrics(on channel: any Channel) async -> Response {
            let text = Array(metrics.text(await probes.status()).utf8)
            guard let body = ResponseBody.paced(text, on: channel, responses) else {
                return Problem.unreadResponses.response
            }
            return Response(status: .ok, headers: [.contentType: ServerMetrics.contentType], body: body)
        }
    }

    extension Request {
        /// Whether a body follows, which must be read before the connection's next request.
        var hasBody: Bool {
            headers[.transferEncoding] != nil || headers[.contentLength].map { $0 != "0" } == true
        }
    }
#endif
