package import MobiusCore
package import MobiusWire
import Synchronization

/// Runs the handlers of one router, for a worker or for the local routes of a coordinator.
///
/// Payloads come in, reports go out to `deliver`, on whatever thread the handler answers. Decoding and handlers run on
/// the given threads, async handlers in tasks of their own; nothing here ever waits.
package final class EffectRunner<Effect: Codable & Sendable, Event: Codable & Sendable>: Sendable {
    /// What a handler answers.
    package enum Outcome: Sendable {
        /// An event, or the end without one.
        case report(AttemptID, event: Payload?, final: Bool)
        /// It could not be done.
        case failed(AttemptID, reason: String)
    }

    private enum Entry {
        /// Not begun, or its `run` has not returned.
        case starting
        /// Begun, and stoppable.
        case running(any Disposable)
    }

    private let router: EffectRouter<Effect, Event>
    private let threads: HandlerThreads
    private let effects = TypedCoding<Effect>.json()
    private let events = TypedCoding<Event>.json()
    private let deliver: @Sendable (Outcome) -> Void
    private let entries = Mutex<[AttemptID: Entry]>([:])

    /// Makes a runner of the router's handlers.
    package init(
        _ router: EffectRouter<Effect, Event>, threads: HandlerThreads, deliver: @escaping @Sendable (Outcome) -> Void
    ) {
        self.router = router
        self.threads = threads
        self.deliver = deliver
    }

    /// The codings it reads.
    package var contentTypes: [String] { [effects.kind.contentType] }

    /// Runs handlers; never waits.
    package func run(_ attempts: [(AttemptID, Payload)]) {
        entries.withLock { entries in
            for (id, _) in attempts { entries[id] = .starting }
        }
        threads.submit(attempts.map { id, payload in { [self] in start(id, payload) } })
    }

    /// Stops a handler: one that has not begun does not, a task is cancelled. What it still says is not delivered.
    package func cancel(_ id: AttemptID) {
        guard let entry = entries.withLock({ $0.removeValue(forKey: id) }) else { return }
        if case .running(let disposable) = entry { disposable.dispose() }
    }

    /// Stops all handlers.
    package func cancelAll() {
        for id in entries.withLock({ Array($0.keys) }) { cancel(id) }
    }

    private func start(_ id: AttemptID, _ payload: Payload) {
        guard entries.withLock({ $0[id] != nil }) else { return }  // cancelled in the queue
        let effect: Effect
        do {
            effect = try effects.decode(payload)
        } catch {
            return end(id, .failed(id, reason: "the effect cannot be read: \(error)"))
        }
        switch router.resolve(effect) {
        case .one(.handler(let handler)): start(handler, id)
        case .one(.remote), .none, .many:
            let reason = router.complaint(about: effect) ?? "this process has no handler of its own for the effect"
            end(id, .failed(id, reason: reason))
        }
    }

    private func start(_ handler: HandlerRoute<Event>, _ id: AttemptID) {
        let callback = EffectCallback<Event>(
            onFinish: { [self] in finish(id, with: $0) },
            onSend: { [self] in send($0, of: id) })
        let disposable = handler.run(callback)
        let isKept = entries.withLock { entries in
            guard entries[id] != nil else { return false }
            entries[id] = .running(disposable)
            return true
        }
        if !isKept, !callback.ended { disposable.dispose() }  // cancelled while it began
    }

    private func send(_ event: Event, of id: AttemptID) {
        guard entries.withLock({ $0[id] != nil }) else { return }
        do {
            deliver(.report(id, event: try events.encode(event), final: false))
        } catch {
            end(id, .failed(id, reason: "the handler's event cannot be sent: \(error)"))
        }
    }

    private func finish(_ id: AttemptID, with last: [Event]) {
        for event in last.dropLast() { send(event, of: id) }
        do {
            let event = try last.last.map { event throws in try events.encode(event) }
            end(id, .report(id, event: event, final: true))
        } catch {
            end(id, .failed(id, reason: "the handler's event cannot be sent: \(error)"))
        }
    }

    private func end(_ id: AttemptID, _ outcome: Outcome) {
        guard entries.withLock({ $0.removeValue(forKey: id) }) != nil else { return }
        deliver(outcome)
    }
}
