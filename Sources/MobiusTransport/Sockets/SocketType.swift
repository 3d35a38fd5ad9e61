import CZeroMQ

/// The pattern a socket takes part in.
public enum SocketType: Sendable, Hashable, CaseIterable {
    /// Communicates with many peers and identifies each by its ``PeerID``.
    case router
    /// Communicates with routers, asynchronously.
    case dealer
    /// Sends messages to subscribers and drops those that they do not accept.
    case publisher
    /// Receives subscribed messages from publishers.
    case subscriber
    /// A publisher that receives subscriptions.
    case extendedPublisher
    /// A subscriber that sends subscriptions as messages.
    case extendedSubscriber
    /// Distributes messages to pullers.
    case push
    /// Collects messages from pushers.
    case pull
    /// Communicates with exactly one peer.
    case pair
    /// Sends a request and waits for its answer, in turn.
    case request
    /// Answers one request at a time; a ZAP handler is one.
    case reply
    /// Uses plain TCP.
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
