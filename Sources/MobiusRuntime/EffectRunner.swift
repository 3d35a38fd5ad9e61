package import MobiusCore
package import MobiusWire

/// Runs the handlers of one router, for a worker or for the local routes of a coordinator.
///
/// It is confined to the socket thread, which alone knows what runs. Decoding and handlers run on the given threads,
/// async handlers in tasks of their own; what they answer goes to `deliver`, on whatever thread they answer. Whoever
/// takes an outcome tells ``ended(_:)``. Nothing here ever waits. Policies and routes that cancel hold among the
/// handlers that this runner runs; what they cancel ends without an event.
package final class EffectRunner<Effect: Codable & Sendable, Event: Codable & Sendable> {
    private var setting: EffectRun<Effect, Event>.Setting
    private let threads: HandlerThreads
    private var runs: [AttemptID: EffectRun<Effect, Event>] = [:]

    /// Makes a runner of the router's handlers.
    package init(
        _ router: EffectRouter<Effect, Event>, threads: HandlerThreads,
        deliver: @escaping @Sendable (HandlerOutcome) -> Void
    ) {
        setting = .init(router: router, deliver: deliver)
        self.threads = threads
    }

    /// The codings it reads.
    package var contentTypes: [String] { [setting.effects.kind.contentType] }

    /// Runs handlers, begun in this order.
    package func run(_ attempts: [(AttemptID, Payload)]) {
        guard !attempts.isEmpty else { return }
        threads.submit(
            attempts.map { id, payload in
                let run = EffectRun(id, payload, in: setting)
                runs[id] = run
                return { run.begin() }
            })
    }

    /// Stops a handler: one that has not begun does not, a task is cancelled.
    ///
    /// What it still says is not delivered.
    package func cancel(_ id: AttemptID) {
        runs.removeValue(forKey: id)?.cancel()
    }

    /// Forgets a handler that has ended.
    package func ended(_ id: AttemptID) {
        runs[id] = nil
    }

    /// Stops all handlers; those that wait for their turn do not begin.
    package func cancelAll() {
        setting.router.close()
        setting = setting.reopened()
        for run in runs.values { run.cancel() }
        runs = [:]
    }
}

/// What a handler answers.
package enum HandlerOutcome: Sendable {
    /// An event, or the end without one.
    case report(AttemptID, event: Payload?, final: Bool)
    /// It could not be done, for this reason; that ends it.
    case failed(AttemptID, reason: String)
}
