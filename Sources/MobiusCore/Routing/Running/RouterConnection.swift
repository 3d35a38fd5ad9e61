import Dispatch

/// A router connected to a loop in this process: runs effects, delivers their events, ends them all when disposed of.
@usableFromInline
final class RouterConnection<Effect, Event>: Sendable {
    /// Runs effects of routes that leave the process.
    @usableFromInline
    typealias Remote = @Sendable (RemoteRoute<Event>, Effect, EffectCallback<Event>) -> any Disposable

    private let router: EffectRouter<Effect, Event>
    private let opened: OpenRouter<Effect, Event>
    private let outlet: EventOutlet<Event>
    @usableFromInline let direct: DirectRoutes<Effect, Event>?
    @usableFromInline let effects: ConnectionEffects<Event>
    private let remote: Remote?
    /// The open connections of connectable routes, by route.
    private let connections: [(any Disposable)?]

    @usableFromInline
    init(_ router: EffectRouter<Effect, Event>, _ consumer: @escaping Consumer<Event>, remote: Remote?) {
        let outlet = EventOutlet(consumer)
        self.router = router
        self.outlet = outlet
        effects = ConnectionEffects(outlet, areCancellable: router.keepsEffectsUnderWay)
        self.remote = remote
        direct = router.table.direct
        opened = OpenRouter(router)
        connections = router.table.routes.map { route in
            route.connect?({ event in outlet.deliver(event) })
        }
    }

    deinit {
        dispose()
    }

    /// Runs `effect`, on the calling thread unless its route says otherwise.
    @inlinable
    func accept(_ effect: Effect) {
        if let direct, direct.run(effect, in: effects) { return }
        resolveAndRun(effect)
    }

    @usableFromInline
    func resolveAndRun(_ effect: Effect) {
        switch router.table.find(effect) {
        case .none:
            router.site.fail(router.complaint(aboutUnrouted: effect))
        case .many(let indices):
            router.site.fail(router.complaint(about: effect, routes: indices))
        case .one(let index, .remote(let route)):
            guard let remote else {
                router.table.routes[index].site.fail(router.complaint(aboutRemote: effect, route: index))
            }
            let effect = UncheckedTransfer(effect)
            let handler = HandlerRoute<Event>(
                body: .handler { callback in remote(route, effect.value, callback) }, queue: nil,
                execution: route.execution)
            effects.start(opened.managed(handler, of: effect.value, route: index))
        case .one(_, .cancels(let route)):
            opened.cancel(where: route.matches)
        case .one(let index, .handler(let handler)):
            run(handler, of: effect, route: index)
        }
    }

    @usableFromInline
    func dispose() {
        outlet.close()
        opened.close()
        effects.underWay.disposeAll()
        for connection in connections { connection?.dispose() }
    }

    private func run(_ handler: HandlerRoute<Event>, of effect: Effect, route index: Int) {
        if case .connectable(let connectable) = handler.body {
            guard let connection = connections[index] else { return }
            guard let queue = handler.queue else { return connectable.accept(connection) }
            return queue.async { connectable.accept(connection) }
        }
        // It has ended when it returns, so nothing has to be kept, and it cannot be cancelled.
        if handler.queue == nil, handler.execution == .concurrently {
            if case .event(let makeEvent) = handler.body {
                if let event = makeEvent() { outlet.deliver(event) }
                return
            }
            if case .action(let act) = handler.body { return act() }
        }
        effects.start(opened.managed(handler, of: effect, route: index))
    }
}
