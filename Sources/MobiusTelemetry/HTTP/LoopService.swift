package import MobiusWire

/// Answers requests about loops that come over HTTP: a coordinator does, a worker has no loops.
///
/// It can be used from any task. Everything is decided where the requests of the client protocol are decided, too.
package protocol LoopService: Sendable {
    /// Who may ask.
    var access: LoopAccess { get }
    /// The largest event in bytes.
    var maximumPayload: Int { get }
    /// Whether the allow-list was read: before its first loops run, a coordinator knows no token.
    var knowsTokens: Bool { get }
    /// The caller with this token; `nil` for a token that is not, or no longer, in the allow-list.
    func caller(withToken token: String) -> LoopCaller?
    /// Why the caller may not ask this; `nil` when it may.
    func refusal(of caller: LoopCaller, for request: ClientRequest) -> ClientRefusal?
    /// Answers a request.
    ///
    /// A request for which the caller lacks the right is refused. Beyond the limits, while the coordinator starts and when it
    /// stops, the answer is `busy`, and so it is for a cancelled task, whose event may or may not be applied.
    ///
    /// - Parameter traceparent: The W3C trace context for the effects of an event, or empty.
    func ask(_ request: ClientRequest, as caller: LoopCaller, traceparent: String) async -> ClientAnswer
}

/// Who may ask a ``LoopService``.
package enum LoopAccess: Hashable, Sendable {
    /// All processes of this machine, at a loopback address.
    case thisMachine
    /// Holders of a token.
    case tokens
    /// Nobody, for the reason in this sentence.
    case nobody(String)
}

/// Who asks a ``LoopService``.
package enum LoopCaller: Hashable, Sendable {
    /// Some process of this machine, with all rights.
    case thisMachine
    /// The holder of the token with this hash.
    case holder(String)
    /// The server itself, for what it must know to answer a caller whose rights it has checked.
    case server
}
