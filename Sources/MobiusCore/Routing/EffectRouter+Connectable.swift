import Synchronization

extension EffectRouter {
    /// The router as an effect handler of a loop.
    ///
    /// It can be connected once at a time, and again after its connection has been disposed of; connecting it while it
    /// is connected is a programmer error. Plain handlers run on the thread that accepts the effect. When `dispose()`
    /// of the connection returns, no event is delivered any more: events of late senders are ignored, and a delivery
    /// under way in another thread has ended (unless `dispose()` is called inside a delivery, which waits for nobody).
    public var asConnectable: AnyConnectable<Effect, Event> {
        let router = self
        let isConnected = Flag()
        return AnyConnectable { consumer in
            guard isConnected.raise() else {
                router.site.fail(
                    """
                    The EffectRouter made at \(router.site) is connected already. Dispose of its connection before \
                    you connect it again, or call asConnectable once for each loop.
                    """)
            }
            let connection = RouterConnection(router, consumer)
            return Connection(
                acceptClosure: { effect in connection.accept(effect) },
                disposeClosure: {
                    connection.dispose()
                    isConnected.lower()
                })
        }
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
