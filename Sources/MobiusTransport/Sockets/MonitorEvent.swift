import CZeroMQ

/// An event of one of a socket's connections.
public struct MonitorEvent: Sendable, Hashable, CustomStringConvertible {
    /// The kind of event.
    public enum Kind: Sendable, Hashable {
        /// A connection was made; the handshake is still to come.
        case connected
        /// A connection could not be made at once and is pending.
        case connectDelayed
        /// A connection attempt failed; the next follows after `value` milliseconds.
        case connectRetried
        /// The socket listens.
        case listening
        /// The socket could not listen; `value` is the `errno`.
        case bindFailed
        /// A peer's connection was accepted; the handshake is still to come.
        case accepted
        /// A peer's connection could not be accepted; `value` is the `errno`.
        case acceptFailed
        /// A connection or listener was closed by this side.
        case closed
        /// A connection or listener could not be closed; `value` is the `errno`.
        case closeFailed
        /// A connection broke, the peer closed it, or its socket is of a type that ours cannot talk to.
        case disconnected
        /// No more events will come: the socket was closed.
        case monitorStopped
        /// The peer uses our protocol and passed authentication.
        case handshakeSucceeded
        /// The peer is not a ZeroMQ peer, or has other keys.
        case handshakeFailed(HandshakeFailure)
        /// An event of a later libzmq, by its number.
        case other(UInt16)
    }

    /// The reason why a handshake failed.
    public enum HandshakeFailure: Sendable, Hashable {
        /// The connection ended in the middle; `value` is the `errno`.
        case noDetail
        /// The peer does not use ZMTP, or not the same security mechanism; `value` is libzmq's protocol error.
        case protocolError
        /// The ZAP handler refused the peer; `value` is its status code, 300, 400 or 500.
        case authentication
    }

    /// The kind of event.
    public let kind: Kind
    /// A number whose meaning depends on ``kind``; the file descriptor where none is given there.
    public let value: Int
    /// The endpoint, as libzmq names it.
    public let endpoint: String

    /// Makes an event, for tests.
    public init(_ kind: Kind, value: Int = 0, endpoint: String) {
        self.kind = kind
        self.value = value
        self.endpoint = endpoint
    }

    /// Whether it means that a connection failed.
    public var isFailure: Bool {
        switch kind {
        case .handshakeFailed, .acceptFailed, .bindFailed: true
        default: false
        }
    }

    /// Whether the handshake failed because one side has CURVE keys and the other has none.
    public var isMechanismMismatch: Bool {
        kind == .handshakeFailed(.protocolError) && value == Int(ZMQ_PROTOCOL_ERROR_ZMTP_MECHANISM_MISMATCH)
    }

    /// The kind, the endpoint and the value, for logs.
    public var description: String { "\(kind) \(endpoint) (\(value))" }
}

extension MonitorEvent.Kind {
    init(number: UInt16) {
        switch Int32(number) {
        case ZMQ_EVENT_CONNECTED: self = .connected
        case ZMQ_EVENT_CONNECT_DELAYED: self = .connectDelayed
        case ZMQ_EVENT_CONNECT_RETRIED: self = .connectRetried
        case ZMQ_EVENT_LISTENING: self = .listening
        case ZMQ_EVENT_BIND_FAILED: self = .bindFailed
        case ZMQ_EVENT_ACCEPTED: self = .accepted
        case ZMQ_EVENT_ACCEPT_FAILED: self = .acceptFailed
        case ZMQ_EVENT_CLOSED: self = .closed
        case ZMQ_EVENT_CLOSE_FAILED: self = .closeFailed
        case ZMQ_EVENT_DISCONNECTED: self = .disconnected
        case ZMQ_EVENT_MONITOR_STOPPED: self = .monitorStopped
        case ZMQ_EVENT_HANDSHAKE_SUCCEEDED: self = .handshakeSucceeded
        case ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL: self = .handshakeFailed(.noDetail)
        case ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL: self = .handshakeFailed(.protocolError)
        case ZMQ_EVENT_HANDSHAKE_FAILED_AUTH: self = .handshakeFailed(.authentication)
        default: self = .other(number)
        }
    }
}
