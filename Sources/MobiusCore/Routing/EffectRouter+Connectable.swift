import Synchronization

extension EffectRouter: Connectable {
    /// Opens a separate connection for one loop.
    ///
    /// Connections of one router are independent of each other: each connects the connectables of its routes again, and
    /// has its own running effects. Synchronous handlers run on the thread that accepts the effect. After `dispose()`
    /// of the connection has returned, no event is delivered: events of late senders are ignored, and a delivery in
    /// another thread has ended (a call of `dispose()` inside a delivery does not wait). Effects that still wait for
    /// their queue or their turn do not begin.
    @preconcurrency
    @inlinable
    public func connect(_ consumer: @escaping Consumer<Event>) -> Connection<Effect> {
        connection(consumer, remote: nil)
    }

    /// Opens a connection that runs routes to other processes by `remote`.
    ///
    /// `remote` is called on the thread that accepts the effect (or, if a policy made the effect wait, on the thread
    /// that ended the previous one). It answers through the callback, which it has to end. Disposing of its result
    /// cancels the effect. Otherwise ``connect(_:)`` applies, for remote routes too.
    package func connect(
        _ consumer: @escaping Consumer<Event>,
        remote: @escaping @Sendable (RemoteRoute<Event>, Effect, EffectCallback<Event>) -> any Disposable
    ) -> Connection<Effect> {
        connection(consumer, remote: remote)
    }

    /// The router as an effect handler that can be connected once at a time.
    ///
    /// It can be connected again after its connection has been disposed of; connecting it while it is connected is a
    /// programmer error. Otherwise ``connect(_:)`` applies. Loops accept the router itself, too.
    public var asConnectable: AnyConnectable<Effect, Event> {
        let router = self
        let isConnected = Flag()
        return AnyConnectable { consumer in
            guard isConnected.raise() else {
                router.site.fail(
                    """
                    The EffectRouter made at \(router.site) is connected already. Dispose of its connection before \
                    you connect it again, or give each loop the router itself instead of one asConnectable.
                    """)
            }
            let connection = router.connect(consumer)
            return Connection(
                acceptClosure: { effect in connection.accept(effect) },
                disposeClosure: {
                    connection.dispose()
                    isConnected.lower()
                })
        }
    }

    @inlinable
    func connection(
        _ consumer: @escaping Consumer<Event>, remote: RouterConnection<Effect, Event>.Remote?
    ) -> Connection<Effect> {
        let connection = RouterConnection(self, consumer, remote: remote)
        return Connection(
            acceptClosure: { effect in connection.accept(effect) },
            disposeClosure: { connection.dispose() })
    }
}

/// Whether something is in use.
private final class Flag: Sendable {
    private let isUp = Atomic(false)

    /// Raises it, or fails if it is up.
    func raise() -> Bool {
        !isUp.exchange(true, ordering: .acquiringAndReleasing)
    }

    func lower() {
        isUp.store(false, ordering: .releasing)
    }
}
