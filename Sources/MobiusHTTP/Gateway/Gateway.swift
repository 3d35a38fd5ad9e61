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
            do throws(Problem) {
                try Self.checkText(of: request)
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
            if let field = request.headers.first(where: { isWrong($0.value) }) {
                throw Problem(.invalidRequest, "The header \(field.name) is not UTF-8.")
            }
        }

        // MARK: - Who asks

        /// - Throws: ``Problem`` when nobody may ask here, and for a token that is missing or unknown.
        private func caller(of request: Request) throws(Problem) -> LoopCaller {
            switch service.access {
            case .thisMachine(let isUnmasked):
                // A page in a browser could give a name of its own to this machine's address, and read what is here.
                guard LoopbackName.isOne(request.head.authority ?? "") else {
                    throw Problem(
                        .wrongHost,
                        "Without tokens the Host of a request is localhost, 127.0.0.1 or [::1], with the port.")
                }
                // What a proxy passes on is from other machines.
                if let field = [HTTPField.Name.forwarded, .xForwardedFor, .via].first(where: {
                    request.headers[$0] != nil
                }) {
                    throw Problem(
                        .notServedHere,
                        "A request with the header \(field) comes from elsewhere, and without keys loops are served to this machine "
                            + "only: a proxy needs a fleet with keys.")
                }
                return LoopCaller(token: "", isMasked: !isUnmasked)
            case .tokens:
                guard let header = request.headers[.authorization] else {
                    throw Problem(.tokenMissing, "Send a token of `mobius keys token`: Authorization: Bearer TOKEN.")
                }
                let words = header.split(separator: " ")
                guard words.count == 2, words[0].lowercased() == "bearer", words[1].utf8.count <= 255 else {
                    throw Problem(.tokenUnknown, "This is no token of `mobius keys token`.")
                }
                return LoopCaller(token: String(words[1]), isMasked: false)
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
