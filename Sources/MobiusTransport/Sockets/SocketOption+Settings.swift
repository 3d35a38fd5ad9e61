import CZeroMQ

// MARK: - Queues and closing

extension SocketOption where Value == Int {
    /// The number of outgoing messages queued per peer before sending would block; 0 is unlimited, default 1000.
    public static var sendHighWaterMark: Self { .integer(ZMQ_SNDHWM, "sendHighWaterMark") }
    /// The number of incoming messages queued per peer before its connection is no longer read; 0 is unlimited, default
    /// 1000.
    public static var receiveHighWaterMark: Self { .integer(ZMQ_RCVHWM, "receiveHighWaterMark") }
    /// The number of connections that may wait to be accepted, default 100.
    public static var backlog: Self { .integer(ZMQ_BACKLOG, "backlog") }
}

extension SocketOption where Value == Int? {
    /// The longest frame in bytes that a peer may send, `nil` for any; a longer one breaks the connection.
    ///
    /// Below 276 it breaks handshakes. A connecting socket never reconnects after it broke a connection for this.
    public static var maxMessageSize: Self { .size(ZMQ_MAXMSGSIZE, "maxMessageSize") }
}

extension SocketOption where Value == Duration? {
    /// The time that unsent messages are kept after the socket was closed, and delay the end of its context; `nil` is
    /// for ever.
    ///
    /// Sockets of this module start with 0. Takes effect at once.
    public static var linger: Self { .time(ZMQ_LINGER, "linger", none: -1) }
}

// MARK: - Routing

extension SocketOption where Value == Bool {
    /// Whether a ROUTER reports unknown peers instead of dropping what is sent to them; takes effect at once.
    public static var routerMandatory: Self { .flag(ZMQ_ROUTER_MANDATORY, "routerMandatory") }
    /// Whether messages queue only for completed connections, so that none are kept for a peer that never comes.
    public static var immediate: Self { .flag(ZMQ_IMMEDIATE, "immediate") }
}

extension SocketOption where Value == [UInt8] {
    /// The id of this socket for routers, 1…255 bytes that don't start with 0; two sockets with equal ids break each
    /// other's connections.
    public static var routingID: Self { .bytes(ZMQ_ROUTING_ID, "routingID") }
    /// Subscribes a SUB socket to messages that start with these bytes; takes effect at once.
    public static var subscribe: Self { .bytes(ZMQ_SUBSCRIBE, "subscribe") }
    /// Cancels one ``subscribe`` of the same bytes; takes effect at once.
    public static var unsubscribe: Self { .bytes(ZMQ_UNSUBSCRIBE, "unsubscribe") }
}

// MARK: - Connections

extension SocketOption where Value == Duration? {
    /// The interval at which a silent connection is pinged; `nil` is never, the default.
    ///
    /// A ping can end a process of libzmq 4.3.4 and 4.3.5, the peer's (`Assertion failed: !_io_error`) or the one that pings: when a
    /// connection breaks that is not read because ``receiveHighWaterMark`` messages wait, and its last bytes hold a ping.
    /// ``Socket/endDeadConnections(after:)`` does without.
    public static var heartbeatInterval: Self { .time(ZMQ_HEARTBEAT_IVL, "heartbeatInterval", none: 0) }
    /// The time to wait for a sign of life after a ping before the connection is closed.
    ///
    /// `nil` is as long as the interval: the default, which cannot be set again.
    public static var heartbeatTimeout: Self { .time(ZMQ_HEARTBEAT_TIMEOUT, "heartbeatTimeout", none: -1) }
    /// The silence after which the *peer* should close the connection; `nil` leaves it to the peer.
    ///
    /// At most 6553 seconds; libzmq keeps tenths of a second.
    public static var heartbeatTimeToLive: Self { .time(ZMQ_HEARTBEAT_TTL, "heartbeatTimeToLive", none: 0) }
    /// The pause before reconnecting, default 100 ms; `nil` is never.
    public static var reconnectInterval: Self { .time(ZMQ_RECONNECT_IVL, "reconnectInterval", none: -1) }
    /// The limit up to which the pause doubles at each failure; `nil` keeps it at ``reconnectInterval``, the default.
    public static var reconnectIntervalMax: Self { .time(ZMQ_RECONNECT_IVL_MAX, "reconnectIntervalMax", none: 0) }
    /// The time that a peer's handshake may take, default 30 s; `nil` is for ever.
    public static var handshakeInterval: Self { .time(ZMQ_HANDSHAKE_IVL, "handshakeInterval", none: 0) }
    /// The time that making a TCP connection may take; `nil` leaves it to the system, the default.
    public static var connectTimeout: Self { .time(ZMQ_CONNECT_TIMEOUT, "connectTimeout", none: 0) }
    /// The time that data sent over TCP may stay unconfirmed by the receiving system before the connection ends.
    ///
    /// It is `TCP_USER_TIMEOUT` of RFC 5482. `nil` leaves it to the system, the default: a quarter of an hour on Linux.
    public static var confirmationTimeout: Self { .time(ZMQ_TCP_MAXRT, "confirmationTimeout", none: 0) }
}

extension SocketOption where Value == Int {
    /// Whether the system probes silent TCP connections: 1 is yes, 0 no, and −1, the default, leaves it to the system.
    static var keepAlive: Self { .integer(ZMQ_TCP_KEEPALIVE, "keepAlive") }
    /// The seconds of silence before the first probe, the seconds between probes, and the number of probes.
    static var keepAliveIdle: Self { .integer(ZMQ_TCP_KEEPALIVE_IDLE, "keepAliveIdle") }
    static var keepAliveInterval: Self { .integer(ZMQ_TCP_KEEPALIVE_INTVL, "keepAliveInterval") }
    static var keepAliveCount: Self { .integer(ZMQ_TCP_KEEPALIVE_CNT, "keepAliveCount") }
}

extension Socket {
    /// Lets the system end TCP connections whose other end is gone without a word, such as a host that lost its power.
    ///
    /// Connections that the system at the other end confirms stay, even if the process there is stopped. Local connections
    /// (`ipc`) need none of this: the end of their process ends them. Set before ``bind(_:)`` or ``connect(_:)``.
    ///
    /// A connection that is being made is given up and begun anew after the same time: the system alone would ask again after 1, 2,
    /// 4, … 64 s, and so might not notice for a minute that the other end can be reached again.
    ///
    /// - Parameter seconds: The time for which nothing may come from the other system, from 2 s on.
    public func endDeadConnections(after seconds: Int) throws(ZeroMQError) {
        try set(.confirmationTimeout, to: .seconds(seconds))
        try set(.connectTimeout, to: .seconds(seconds))
        try set(.keepAlive, to: 1)
        try set(.keepAliveIdle, to: max(1, seconds / 2))
        try set(.keepAliveInterval, to: 1)
        try set(.keepAliveCount, to: max(1, seconds - seconds / 2))
    }
}

extension SocketOption where Value == String {
    /// Read by ``Socket/lastEndpoint``.
    static var lastEndpoint: Self { .text(ZMQ_LAST_ENDPOINT, "lastEndpoint") }
}

// MARK: - Security

extension SocketOption where Value == String {
    /// The domain under which the ZAP handler authenticates this socket's clients; at most 255 bytes, default none.
    public static var zapDomain: Self { .text(ZMQ_ZAP_DOMAIN, "zapDomain") }
    static var curvePublicKey: Self { .text(ZMQ_CURVE_PUBLICKEY, "curvePublicKey") }
    static var curveSecretKey: Self { .text(ZMQ_CURVE_SECRETKEY, "curveSecretKey") }
    static var curveServerKey: Self { .text(ZMQ_CURVE_SERVERKEY, "curveServerKey") }
}

extension SocketOption where Value == Bool {
    static var curveServer: Self { .flag(ZMQ_CURVE_SERVER, "curveServer") }
    /// Whether clients are refused when a ``zapDomain`` is set but no ZAP handler listens.
    ///
    /// Its number is missing in the headers of 4.3, but the library supports it.
    public static var zapEnforceDomain: Self { .flag(93, "zapEnforceDomain") }
}

extension Socket {
    /// Makes this socket the server side of CURVE: it is authenticated by its secret key, and traffic is encrypted.
    ///
    /// Without a ZAP handler on `inproc://zeromq.zap.01` **any** client is admitted. Set before ``bind(_:)``.
    ///
    /// - Throws: `invalidArgument` for a key that is not 40 characters of Z85 or a libzmq without CURVE.
    public func useCurve(asServerWith keys: CurveKeyPair) throws(ZeroMQError) {
        try set(.curveServer, to: true)
        try set(.curveSecretKey, to: keys.secretKey)
    }

    /// Makes this socket a client of CURVE, which connects only to the server that has the secret key of `serverKey`.
    ///
    /// With a wrong key it retries for ever; a ``SocketMonitor`` reports that. Set before ``connect(_:)``.
    ///
    /// - Throws: `invalidArgument` for a key that is not 40 characters of Z85 or a libzmq without CURVE.
    public func useCurve(asClientWith keys: CurveKeyPair, serverKey: String) throws(ZeroMQError) {
        try set(.curveServerKey, to: serverKey)
        try set(.curvePublicKey, to: keys.publicKey)
        try set(.curveSecretKey, to: keys.secretKey)
    }
}
