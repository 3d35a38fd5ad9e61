#if HTTP
    package import MobiusWire

    /// A resource of the gateway.
    package enum GatewayRoute: Hashable, Sendable {
        /// `/loops`: all loops.
        case loops
        /// `/loops/{id}`: a loop's model.
        case model(LoopID)
        /// `/loops/{id}/events`: where events are sent.
        case events(LoopID)
        /// `/loops/{id}/history`: what happened in a loop.
        case history(LoopID)
        /// `/loops/{id}/models`: the models of a loop, as they change.
        case models(LoopID)
        /// `/openapi.json`: the description of all this.
        case description

        /// The route of a path, percent-encoded as it is in a request; `nil` when it is none of the gateway's.
        ///
        /// - Throws: ``Problem``.
        package init?(path: String) throws(Problem) {
            if path == "/openapi.json" {
                self = .description
                return
            }
            let segments = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
            guard segments.first == "loops" else { return nil }
            let rest = segments.dropFirst()
            guard let encoded = rest.first else {
                self = .loops
                return
            }
            guard rest.count <= 2 else {
                throw Problem(.notFound, "There is no \(path). Write a slash in the name of a loop as %2F.")
            }
            guard let name = Percent.decoded(encoded), let loop = LoopID(name) else {
                throw Problem(
                    .invalidRequest,
                    "The name of a loop has 1 to \(LoopID.maximumLength) bytes of UTF-8, percent-encoded in a path.")
            }
            guard let last = rest.dropFirst().first else {
                self = .model(loop)
                return
            }
            switch last {
            case "events": self = .events(loop)
            case "history": self = .history(loop)
            case "models": self = .models(loop)
            default:
                throw Problem(
                    .notFound, "A loop has /events, /history and /models. Write a slash in its name as %2F.")
            }
        }

        /// The methods that it has.
        package var methods: String {
            switch self {
            case .events: "POST"
            case .loops, .model, .history, .models, .description: "GET, HEAD"
            }
        }
    }
#endif
