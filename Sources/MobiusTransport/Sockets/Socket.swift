import CZeroMQ
import Synchronization

/// A ZeroMQ socket, which belongs to the thread that made it, or to the thread that holds its ``SocketLock``.
///
/// libzmq's sockets are not thread-safe: using one on another thread crashes with a sentence. Make it on the thread that
/// uses it, such as a `SocketThread`.
///
/// Nothing here blocks: sending and receiving report that they would have to wait, and a ``Poller`` waits.
///
/// The socket is closed when the value is destroyed. That alone may happen on any thread, because nothing else can be
/// using the socket by then.
public struct Socket: ~Copyable {
    let handle: UnsafeMutableRawPointer
    let lock: SocketLock
    private let maker = ThreadIdentity.current
    let life: SocketLife
    /// The pattern it takes part in.
    public let type: SocketType

    init(handle: UnsafeMutableRawPointer, type: SocketType, lock: SocketLock, context: Context) {
        self.handle = handle
        self.type = type
        self.lock = lock
        life = SocketLife(context: context)
    }

    deinit {
        life.isOpen.store(false, ordering: .releasing)
        zmq_close(handle)
        life.context.socketClosed(by: maker)
    }

    /// Closes the socket now rather than at the end of its scope.
    ///
    /// Remove it from every ``Poller`` first.
    public consuming func close() {
        checkThread()
    }

    @inline(__always)
    func checkThread() {
        if !lock.isHeld { Self.crashOnWrongThread() }
        life.use.note()
    }

    @inline(never)
    static func crashOnWrongThread() -> Never {
        fatalError(
            "A ZeroMQ socket was used on a thread that did not make it: make and use it on one thread, for instance in "
                + "an actor that is pinned to a SocketThread, or take the SocketLock that it was made with.")
    }
}

/// State that survives a socket: its context, and for monitors whether it is closed.
final class SocketLife: Sendable {
    let context: Context
    let use = SocketUse()
    let isOpen = Atomic<Bool>(true)
    let isMonitored = Atomic<Bool>(false)

    init(context: Context) {
        self.context = context
    }
}

/// Counts the uses of a socket: while it is unused, its descriptor signals every change to a poller.
final class SocketUse: Sendable {
    // Counted by the thread that holds the lock; others only read it, and must not see half a number.
    private let uses = Atomic<UInt64>(1)

    /// At least 1.
    var count: UInt64 { uses.load(ordering: .relaxed) }

    /// Counts a use, and returns the number of uses.
    @discardableResult @inline(__always)
    func note() -> UInt64 {
        let count = uses.load(ordering: .relaxed) + 1
        uses.store(count, ordering: .relaxed)
        return count
    }
}

// MARK: - Endpoints

extension Socket {
    /// Listens on an endpoint, for example `tcp://127.0.0.1:*`, whose port ``lastEndpoint`` then contains.
    ///
    /// - Throws: `addressInUse`, `accessDenied`, `invalidArgument`, `noSuchDevice` and others.
    public func bind(_ endpoint: String) throws(ZeroMQError) {
        checkThread()
        guard Endpoint.hasPossiblePort(endpoint, toBind: true) else {
            throw .last("bind", endpoint: endpoint, code: .invalidArgument)
        }
        guard Endpoint.hasPossiblePath(endpoint) else {
            throw .last("bind", endpoint: endpoint, code: .nameTooLong)
        }
        if Self.uninterrupted({ zmq_bind(handle, endpoint) }) != 0 { throw .last("bind", endpoint: endpoint) }
    }

    /// Connects to an endpoint, and reconnects whenever the connection breaks; a missing listener is not an error.
    ///
    /// - Throws: `invalidArgument` and others for an endpoint that can never work.
    public func connect(_ endpoint: String) throws(ZeroMQError) {
        checkThread()
        guard Endpoint.hasPossiblePort(endpoint, toBind: false) else {
            throw .last("connect to", endpoint: endpoint, code: .invalidArgument)
        }
        guard Endpoint.hasPossiblePath(endpoint) else {
            throw .last("connect to", endpoint: endpoint, code: .nameTooLong)
        }
        if Self.uninterrupted({ zmq_connect(handle, endpoint) }) != 0 { throw .last("connect to", endpoint: endpoint) }
    }

    /// Stops listening on an endpoint, named as ``lastEndpoint`` did.
    public func unbind(_ endpoint: String) throws(ZeroMQError) {
        checkThread()
        if Self.uninterrupted({ zmq_unbind(handle, endpoint) }) != 0 { throw .last("unbind", endpoint: endpoint) }
    }

    /// Closes the connection to an endpoint and stops reconnecting.
    ///
    /// libzmq closes it only while this socket is polled, received from, or closed.
    public func disconnect(_ endpoint: String) throws(ZeroMQError) {
        checkThread()
        if Self.uninterrupted({ zmq_disconnect(handle, endpoint) }) != 0 {
            throw .last("disconnect from", endpoint: endpoint)
        }
    }

    /// Repeats a call while signals interrupt it, which happens before it has any effect.
    private static func uninterrupted(_ call: () -> CInt) -> CInt {
        while true {
            let result = call()
            if result == 0 || zmq_errno() != EINTR { return result }
        }
    }

    /// The endpoint last bound or connected to, with the port that the system chose for `*`; empty before.
    public var lastEndpoint: String {
        get throws(ZeroMQError) {
            try get(.lastEndpoint)
        }
    }
}
