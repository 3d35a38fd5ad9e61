import Hummingbird
import HummingbirdCore
import MobiusCommand
import NIOCore

extension Gateway {
    /// `GET /openapi.json`: the description of all routes.
    func description(_ request: Request, on channel: any Channel) async throws(Problem) -> Response {
        _ = try QueryParameters(request.uri.query, known: [])
        let document = OpenAPIDocument(version: FleetVersion.current, needsTokens: service.access == .tokens)
        return try json(Array(document.json.utf8), on: channel)
    }
}
