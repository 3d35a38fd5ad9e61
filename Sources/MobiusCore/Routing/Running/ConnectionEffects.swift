/// What the effects of a connection lead to: its consumer, and the place where it keeps what stops them.
@usableFromInline
final class ConnectionEffects<Event>: Sendable {
    @usableFromInline let outlet: EventOutlet<Event>
    @usableFromInline let underWay = EffectsUnderWay()
    /// Whether single effects can be cancelled, so that more has to be known of each.
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

    /// Starts a handler with a route, which keeps its callback as long as that has to be kept.
    func start(_ handler: HandlerRoute<Event>) {
        guard !underWay.isClosed else { return }
        let callback = EffectCallback(self)
        callback.keep(handler.run(callback), keepsCallback: false)
    }
}
