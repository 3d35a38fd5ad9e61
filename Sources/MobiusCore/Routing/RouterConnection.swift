import Dispatch

/// A router connected to a loop in this process: runs effects, delivers their events, ends them all when disposed of.
final class RouterConnection<Effect, Event>: Sendable {
    private let router: EffectRouter<Effect, Event>
    private let outlet: EventOutlet<Event>
    private let effects = EffectsUnderWay()
    /// The open connections of connectable routes, by route.
    private let connections: [(any Disposable)?]

    init(_ router: EffectRouter<Effect, Event>, _ consumer: @escaping Consumer<Event>) {
        let outlet = EventOutlet(consumer)
        self.router = router
        self.outlet = outlet
        connections = router.table.routes.map { route in
            route.connect?({ event in outlet.deliver(event) })
        }
    }

    /// Runs `effect`, on the calling thread unless its route says otherwise.
    func accept(_ effect: Effect) {
        switch router.table.find(effect) {
        case .none:
            router.site.fail(router.complaint(aboutUnrouted: effect))
        case .many(let indices):
            router.site.fail(router.complaint(about: effect, routes: indices))
        case .one(let index, .remote):
            router.table.routes[index].site.fail(router.complaint(aboutRemote: effect, route: index))
        case .one(let index, .handler(let handler)):
            run(handler, connection: connections[index])
        }
    }

    func dispose() {
        outlet.close()
        effects.disposeAll()
        for connection in connections { connection?.dispose() }
    }

    private func run(_ handler: HandlerRoute<Event>, connection: (any Disposable)?) {
        switch handler.body {
        case .connectable(let connectable):
            guard let connection else { return }
            guard let queue = handler.queue else { return connectable.accept(connection) }
            queue.async { connectable.accept(connection) }
        case .event(let makeEvent) where handler.queue == nil:
            // Over when it returns, so there is nothing to keep.
            if let event = makeEvent() { outlet.deliver(event) }
        case .action(let act) where handler.queue == nil:
            act()
        case .event, .action, .handler, .task:
            start(handler)
        }
    }

    private func start(_ handler: HandlerRoute<Event>) {
        guard let id = effects.begin() else { return }
        let callback = EffectCallback<Event>(
            onFinish: { [outlet, effects] events in
                effects.end(id)
                for event in events { outlet.deliver(event) }
            },
            onSend: { [outlet] event in outlet.deliver(event) })
        effects.keep(handler.run(callback), for: id)
    }
}
