#if HTTP
    import Hummingbird
    import HummingbirdCore
    import MobiusCommand
    import MobiusTelemetry
    import MobiusWire
    import NIOCore

    extension Gateway {
        /// `GET /openapi.json`: the description of all routes.
        func description(_ request: Request, on channel: any Channel) async throws(Problem) -> Response {
            _ = try QueryParameters(request.uri.query, known: [])
            var document = OpenAPIDocument(version: FleetVersion.current, needsTokens: service.access == .tokens)
            if case .schema(let program) = await ask(.schema, .server) {
                document.program = String(decoding: program, as: UTF8.self)
            }
            return try json(Array(document.json.utf8), on: channel)
        }
    }
#endif
