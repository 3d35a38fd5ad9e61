#if HTTP
    import HTTPTypes
    import Hummingbird
    import HummingbirdCore
    import MobiusWire
    import NIOCore

    /// Serves the loops of a fleet: it translates between HTTP and the client protocol, and decides nothing else.
    struct Gateway: Sendable {
        let service: any LoopService
        let bodies: BodyReader
        let rights = RightsCache()
        let watches: SharedWatches
        /// Bytes of responses that are being sent.
        let responses: ByteBudget
        /// Streams that are open, each counted as one.
        let streams: ByteBudget

        init(_ service: any LoopService, _ limits: HTTPLimits, _ responses: ByteBudget) {
            self.service = service
            watches = SharedWatches(service)
            bodies = BodyReader(limits)
            self.responses = responses
            streams = ByteBudget(limits.streams)
        }

        /// Answers a request; `nil` when its path is not one of the gateway's.
        func respond(to request: Request, on channel: any Channel) async -> Response? {
            guard let (found, route) = await answer(to: request, on: channel) else { return nil }
            var response = found
            if response.headers[.cacheControl] == nil {
                response.headers[.cacheControl] = route?.showsPayloads == true ? "no-store" : "private, no-cache"
            }
            response.headers[.vary] = "Authorization, Cookie"
            return response
        }

        /// The response, and its route, if the path has one.
        private func answer(to request: Request, on channel: any Channel) async -> (Response, GatewayRoute?)? {
            var found: GatewayRoute?
            do throws(Problem) {
                try Self.checkText(of: request)
                guard let route = try GatewayRoute(path: request.uri.path) else { return nil }
                found = route
                let response = try await respond(to: request, route, on: channel)
                // What sends an event has read its body.
                if case .events = route { return (response, route) }
                return (request.hasBody ? response.endingConnection(of: channel) : response, route)
            } catch {
                let response = error.response
                return (request.hasBody ? response.endingConnection(of: channel) : response, found)
            }
        }

        private func respond(
            to request: Request, _ route: GatewayRoute, on channel: any Channel
        ) async throws(Problem) -> Response {
            if route == .session, request.method == .delete { return logout(request) }
            let caller = try await caller(of: request)
            let method = request.method == .head ? "HEAD" : request.method.rawValue
            guard route.methods.split(separator: ", ").contains(Substring(method)) else {
                throw Problem(.methodNotAllowed, "There is only \(route.methods) here.", allow: route.methods)
            }
            return try await respond(to: request, route, caller, on: channel)
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
            case .waits(let loop): return try await waits(request, of: loop, caller, on: channel)
            case .status: return try await status(request, caller, on: channel)
            case .effects: return try await effects(request, caller, on: channel)
            case .letters: return try await letters(request, caller, on: channel)
            case .session where request.method == .post: return try await login(request, caller)
            case .session: return try await session(request, caller)
            case .description: return try await description(request, caller, on: channel)
            }
        }

        func ask(
            _ request: ClientRequest, _ caller: LoopCaller, traceparent: String = ""
        ) async throws(Problem) -> ClientAnswer {
            try await service.ask(request, as: caller, traceparent: traceparent)
        }

        /// Refuses a request with bytes that are not UTF-8, which arrive as U+FFFD: two names or keys could become one.
        private static func checkText(of request: Request) throws(Problem) {
            func isWrong(_ text: String) -> Bool { text.unicodeScalars.contains("\u{FFFD}") }
            if isWrong(request.head.path ?? "") {
                throw Problem(.invalidRequest, "The path and query are ASCII: percent-encode other characters.")
            }
            // Cookies are of all programs that serve this host, at any port.
            if let field = request.headers.first(where: { $0.name != .cookie && isWrong($0.value) }) {
                throw Problem(.invalidRequest, "The header \(field.name) is not UTF-8.")
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
                let rest = host[host.index(after: end)...]
                return host[...end] == "[::1]" && (rest.isEmpty || rest.hasPrefix(":"))
            }
            if let colon = host.lastIndex(of: ":") { host = host[..<colon] }
            func isByte(_ text: Substring) -> Bool {
                text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } && UInt8(text) != nil
            }
            let numbers = host.split(separator: ".", omittingEmptySubsequences: false)
            let isNumber = numbers.count == 4 && numbers.allSatisfy(isByte) && numbers[0] == "127"
            return host.isEmpty || host.lowercased() == "localhost" || isNumber
        }
    }
#endif
