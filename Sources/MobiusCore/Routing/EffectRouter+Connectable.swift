import Synchronization

extension EffectRouter: Connectable {
    /// Opens a connection of its own, for one loop.
    ///
    /// Connections of one router are independent of each other: each connects the connectables of its routes anew, and
    /// has its own effects under way. Plain handlers run on the thread that accepts the effect. When `dispose()` of the
    /// connection returns, no event is delivered any more: events of late senders are ignored, and a delivery under way
    /// in another thread has ended (unless `dispose()` is called inside a delivery, which waits for nobody). Effects
    /// that still wait for their queue or their turn do not begin then.
    @preconcurrency
    @inlinable
    public func connect(_ consumer: @escaping Consumer<Event>) -> Connection<Effect> {
        connection(consumer, remote: nil)
    }

    /// Opens a connection that runs routes to other processes by `remote`.
    ///
    /// `remote` is called on the thread that accepts the effect (or that ends the one before it, where a policy makes
    /// effects wait), and answers through the callback, which it has to end. Disposing of what it returns cancels the
    /// effect. Everything else is as ``connect(_:)`` says, for remote routes too.
    package func connect(
        _ consumer: @escaping Consumer<Event>,
        remote: @escaping @Sendable (RemoteRoute<Event>, Effect, EffectCallback<Event>) -> any Disposable
    ) -> Connection<Effect> {
        connection(consumer, remote: remote)
    }

    /// The router as an effect handler that can be connected once at a time.
    ///
    /// It can be connected again after its connection has been disposed of; connecting it while it is connected is a
    /// programmer error. Otherwise it is as ``connect(_:)`` says. Loops take the router itself, too.
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
