import MobiusCore
import MobiusWire
import Synchronization

/// One attempt at one effect, from its payload to the end of its handler.
final class EffectRun<Effect: Codable & Sendable, Event: Codable & Sendable>: Sendable {
    /// What all runs of a process share.
    struct Setting: Sendable {
        /// Which effects wait for their turn and can be cancelled, in this process.
        let router: OpenRouter<Effect, Event>
        let effects = TypedCoding<Effect>.json()
        let events = TypedCoding<Event>.json()
        let deliver: @Sendable (HandlerOutcome) -> Void

        init(router: EffectRouter<Effect, Event>, deliver: @escaping @Sendable (HandlerOutcome) -> Void) {
            self.router = OpenRouter(router)
            self.deliver = deliver
        }

        /// The same, for runs that know nothing of these.
        func reopened() -> Setting {
            Setting(router: router.router, deliver: deliver)
        }
    }

    private enum State {
        /// Not begun, or its handler's start has not returned.
        case open
        /// Begun, and stoppable.
        case stoppable(any Disposable)
        /// Cancelled, or ended: nothing is delivered any more.
        case over
    }

    private let id: AttemptID
    private let payload: Payload
    private let setting: Setting
    private let state = Lock(State.open)

    init(_ id: AttemptID, _ payload: Payload, in setting: Setting) {
        self.id = id
        self.payload = payload
        self.setting = setting
    }

    /// Runs the handler, once its route's policy allows; plain ones on the calling thread, or on that of the one before.
    func begin() {
        guard !isOver else { return }  // cancelled while it waited
        let effect: Effect
        do {
            effect = try setting.effects.decode(payload)
        } catch {
            return fail("the effect cannot be read: \(error)")
        }
        switch setting.router.resolve(effect) {
        case .one(.handler(let handler)): start(handler)
        case .one(.cancels(let route)):
            setting.router.cancel(where: route.matches)
            end(.report(id, event: nil, final: true))
        case .one(.remote), .none, .many:
            let complaint = setting.router.router.complaint(about: effect)
            fail(complaint ?? "this process has no handler of its own for the effect")
        }
    }

    /// Stops it, if it has not ended.
    func cancel() {
        let before = state.withLock { state in
            defer { state = .over }
            return state
        }
        if case .stoppable(let disposable) = before { disposable.dispose() }
    }

    private var isOver: Bool {
        state.withLock { if case .over = $0 { true } else { false } }
    }

    private func start(_ handler: HandlerRoute<Event>) {
        let callback = EffectCallback<Event>(onFinish: { self.finish(with: $0) }, onSend: { self.send($0) })
        let disposable = handler.run(callback)
        let isKept = state.withLock { state in
            if case .over = state { return false }
            state = .stoppable(disposable)
            return true
        }
        if !isKept, !callback.ended { disposable.dispose() }  // cancelled while it began
    }

    private func send(_ event: Event) {
        guard !isOver else { return }
        do {
            setting.deliver(.report(id, event: try setting.events.encode(event), final: false))
        } catch {
            fail("the handler's event cannot be written: \(error)")
        }
    }

    private func finish(with last: [Event]) {
        guard let final = last.last else { return end(.report(id, event: nil, final: true)) }
        if last.count > 1 {
            for event in last.dropLast() { send(event) }
        }
        do {
            end(.report(id, event: try setting.events.encode(final), final: true))
        } catch {
            fail("the handler's event cannot be written: \(error)")
        }
    }

    private func fail(_ reason: String) {
        end(.failed(id, reason: reason))
    }

    private func end(_ outcome: HandlerOutcome) {
        let before = state.withLock { state in
            defer { state = .over }
            return state
        }
        if case .over = before { return }
        setting.deliver(outcome)
    }
}
