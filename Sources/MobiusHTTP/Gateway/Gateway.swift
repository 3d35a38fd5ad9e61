#if HTTP
    import HTTPTypes
    import Hummingbird
    import HummingbirdCore
    import MobiusTelemetry
    import MobiusWire
    import NIOCore

    /// Serves the loops of a coordinator: it translates between HTTP and the client protocol, and decides nothing else.
    struct Gateway: Sendable {
        let service: any LoopService
        let limits: HTTPLimits
        let bodies: BodyReader
        /// Bytes of responses that are being sent.
        let responses: ByteBudget
        /// Streams that are open, each counted as one.
        let streams: ByteBudget

        init(_ service: any LoopService, _ limits: HTTPLimits) {
            self.service = service
            self.limits = limits
            bodies = BodyReader(upTo: service.maximumPayload, limits)
            responses = ByteBudget(limits.responseBytes)
            streams = ByteBudget(limits.streams)
        }

        /// Answers a request; `nil` when its path is not one of the gateway's.
        func respond(to request: Request, on channel: any Channel) async -> Response? {
            do throws(Problem) {
                guard let route = try GatewayRoute(path: request.uri.path) else { return nil }
                let caller = try caller(of: request)
                let isRead = request.method == .get || request.method == .head
                let method = request.method == .head ? "HEAD" : request.method.rawValue
                guard route.methods.split(separator: ", ").contains(Substring(method)) else {
                    throw Problem(.methodNotAllowed, "There is only \(route.methods) here.", allow: route.methods)
                }
                let response = try await respond(to: request, route, caller, on: channel)
                return isRead && request.hasBody ? response.endingConnection(of: channel) : response
            } catch {
                return request.hasBody ? error.response.endingConnection(of: channel) : error.response
            }
        }

        private func respond(
            to request: Request, _ route: GatewayRoute, _ caller: LoopCaller, on channel: any Channel
        ) async throws(Problem) -> Response {
            switch route {
            case .events(let loop): return try await send(request, to: loop, caller, on: channel)
            case .loops: return try await loops(request, caller)
            case .model(let loop): return try await model(request, of: loop, caller, on: channel)
            case .history(let loop): return try await history(request, of: loop, caller, on: channel)
            case .models(let loop): return try await models(request, of: loop, caller, on: channel)
            case .description: return try await description(request, on: channel)
            }
        }

        func ask(
            _ request: ClientRequest, _ caller: LoopCaller, traceparent: String = ""
        ) async -> ClientAnswer {
            await service.ask(request, as: caller, traceparent: traceparent)
        }

        // MARK: - Who asks

        /// - Throws: ``Problem`` when nobody may ask here, and for a token that is missing or unknown.
        private func caller(of request: Request) throws(Problem) -> LoopCaller {
            switch service.access {
            case .nobody(let reason): throw Problem(.notServedHere, reason)
            case .thisMachine:
                // A page in a browser could give a name of its own to this machine's address, and read what is here.
                guard LoopbackName.isOne(request.head.authority ?? "") else {
                    throw Problem(
                        .wrongHost,
                        "Without tokens the Host of a request is localhost, 127.0.0.1 or [::1], with the port.")
                }
                return .thisMachine
            case .tokens:
                guard let header = request.headers[.authorization] else {
                    throw Problem(.tokenMissing, "Send a token of `mobius keys token`: Authorization: Bearer TOKEN.")
                }
                guard service.knowsTokens else {
                    throw Problem(.busy, "The coordinator starts or stands by; try again.", retryAfter: 1000)
                }
                let words = header.split(separator: " ")
                guard words.count == 2, words[0].lowercased() == "bearer",
                    let caller = service.caller(withToken: String(words[1]))
                else {
                    throw Problem(.tokenUnknown, "This token is not, or no longer, in the coordinator's allow-list.")
                }
                return caller
            }
        }
    }

    /// The names of this machine's loopback.
    package enum LoopbackName {
        /// Whether the authority of a request, a host and perhaps a port, names the loopback; so does an empty one.
        package static func isOne(_ authority: String) -> Bool {
            var host = authority[...]
            if host.hasPrefix("[") {
                guard let end = host.firstIndex(of: "]") else { return false }
                return host[...end] == "[::1]"
            }
            if let colon = host.lastIndex(of: ":") { host = host[..<colon] }
            let numbers = host.split(separator: ".", omittingEmptySubsequences: false)
            let isNumber = numbers.count == 4 && numbers.allSatisfy { UInt8($0) != nil } && numbers[0] == "127"
            return host.isEmpty || host.lowercased() == "localhost" || isNumber
        }
    }
#endif
