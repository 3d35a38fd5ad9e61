/// The consumer of a connection's effects, and the store of their disposables.
@usableFromInline
final class ConnectionEffects<Event>: Sendable {
    @usableFromInline let outlet: EventOutlet<Event>
    @usableFromInline let underWay = EffectsUnderWay()
    /// Whether single effects can be cancelled, which needs a record of each.
    @usableFromInline let areCancellable: Bool

    init(_ outlet: EventOutlet<Event>, areCancellable: Bool) {
        self.outlet = outlet
        self.areCancellable = areCancellable
    }

    /// Starts a handler that answers through a callback, unless the connection has ended.
    @inlinable
    func start(_ handle: (EffectCallback<Event>) -> any Disposable) {
        guard !underWay.isClosed else { return }
        let callback = EffectCallback(self)
        callback.keep(handle(callback), keepsCallback: true)
    }

    /// Starts a route's handler, and keeps its callback as long as needed.
    func start(_ handler: HandlerRoute<Event>) {
        guard !underWay.isClosed else { return }
        let callback = EffectCallback(self)
        callback.keep(handler.run(callback), keepsCallback: false)
    }
}
