#if HTTP
    package import MobiusWire

    /// Answers requests about loops for callers over HTTP: a fleet does, through a client of its own.
    ///
    /// It can be used from any task.
    package protocol LoopService: Sendable {
        /// The callers that are admitted.
        var access: LoopAccess { get }
        /// The time of the export that the loops are of; `nil` for loops of a fleet.
        var exported: WallTime? { get }
        /// Answers a request.
        ///
        /// Rights are decided where the request is answered; a cancelled request may or may not be done.
        ///
        /// - Parameter traceparent: The W3C trace context for the effects of an event, or empty.
        /// - Throws: ``Problem`` when nobody answers in time.
        func ask(
            _ request: ClientRequest, as caller: LoopCaller, traceparent: String
        ) async throws(Problem) -> ClientAnswer
    }

    extension LoopService {
        package var exported: WallTime? { nil }
    }

    /// The callers that a ``LoopService`` admits.
    package enum LoopAccess: Hashable, Sendable {
        /// All processes of this machine, at a loopback address; what the program masks is masked unless asked otherwise.
        case thisMachine(isUnmasked: Bool)
        /// Holders of a token.
        case tokens
    }

    /// The caller of a ``LoopService``.
    package struct LoopCaller: Hashable, Sendable {
        /// The bearer token whose holder's rights decide; empty for a process of this machine.
        package let token: String
        /// Whether payloads are masked, if the program masks any; a token without the right `unmasked` gets them masked in any case.
        package let isMasked: Bool

        package init(token: String, isMasked: Bool) {
            (self.token, self.isMasked) = (token, isMasked)
        }
    }
#endif
