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
        /// `/loops/{id}/waits`: what a loop waits for.
        case waits(LoopID)
        /// `/status`: the state of the coordinator, its loops, pools and workers.
        case status
        /// `/effects`: pending effects, and why they wait.
        case effects
        /// `/letters`: effects that failed for good and are kept.
        case letters
        /// `/session`: the caller's rights, and the cookie of a browser.
        case session
        /// `/openapi.json`: the description of all this.
        case description

        /// The route of a path, percent-encoded as it is in a request; `nil` when it is none of the gateway's.
        ///
        /// - Throws: ``Problem``.
        package init?(path: String) throws(Problem) {
            switch path {
            case "/openapi.json":
                self = .description
                return
            case "/status":
                self = .status
                return
            case "/effects":
                self = .effects
                return
            case "/letters":
                self = .letters
                return
            case "/session":
                self = .session
                return
            default: break
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
            case "waits": self = .waits(loop)
            default:
                throw Problem(
                    .notFound, "A loop has /events, /history, /models and /waits. Write a slash in its name as %2F.")
            }
        }

        /// Whether its responses contain models, events or their answers, or what a token may do: nothing for a browser to keep.
        package var showsPayloads: Bool {
            switch self {
            case .model, .events, .history, .models, .session: true
            case .loops, .waits, .status, .effects, .letters, .description: false
            }
        }

        /// The methods that it has.
        package var methods: String {
            switch self {
            case .events: "POST"
            case .session: "GET, HEAD, POST, DELETE"
            case .loops, .model, .history, .models, .waits, .status, .effects, .letters, .description: "GET, HEAD"
            }
        }
    }
#endif
