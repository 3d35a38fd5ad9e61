#if HTTP
    import Hummingbird
    import HummingbirdCore
    import MobiusProcess
    import MobiusWire
    import NIOCore

    extension Gateway {
        /// `GET /openapi.json`: the description of all routes.
        func description(
            _ request: Request, _ caller: LoopCaller, on channel: any Channel
        ) async throws(Problem) -> Response {
            _ = try QueryParameters(request.uri.query, known: [])
            var document = OpenAPIDocument(version: FleetVersion.current, needsTokens: service.access == .tokens)
            switch try await ask(.schema, caller) {
            case .schema(let program): document.program = String(decoding: program, as: UTF8.self)
            // It is described without the program's types.
            case .refused(let refusal) where refusal.code == .unsupported: break
            case let answer: throw Problem(answer)
            }
            return try json(Array(document.json.utf8), on: channel)
        }
    }
#endif
