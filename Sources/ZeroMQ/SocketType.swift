import CZeroMQ

/// The pattern a socket takes part in.
public enum SocketType: Sendable, Hashable, CaseIterable {
    /// Talks to many peers and names each by its ``PeerID``.
    case router
    /// Talks to routers, asynchronously.
    case dealer
    /// Spreads messages to subscribers and drops what they do not take.
    case publisher
    /// Receives from publishers what it subscribed to.
    case subscriber
    /// A publisher that sees subscriptions.
    case extendedPublisher
    /// A subscriber that sends subscriptions as messages.
    case extendedSubscriber
    /// Deals messages out to pullers.
    case push
    /// Collects messages from pushers.
    case pull
    /// Talks to exactly one peer.
    case pair
    /// Asks and waits for the answer, in lockstep.
    case request
    /// Answers one request at a time; a ZAP handler is one.
    case reply
    /// Talks plain TCP.
    case stream

    var rawValue: Int32 {
        switch self {
        case .router: ZMQ_ROUTER
        case .dealer: ZMQ_DEALER
        case .publisher: ZMQ_PUB
        case .subscriber: ZMQ_SUB
        case .extendedPublisher: ZMQ_XPUB
        case .extendedSubscriber: ZMQ_XSUB
        case .push: ZMQ_PUSH
        case .pull: ZMQ_PULL
        case .pair: ZMQ_PAIR
        case .request: ZMQ_REQ
        case .reply: ZMQ_REP
        case .stream: ZMQ_STREAM
        }
    }
}
