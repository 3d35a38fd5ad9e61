import MobiusCore
import MobiusProgram
import MobiusTracing
import MobiusWire
import Synchronization
import Tracing

/// One attempt at one effect, from its payload to the end of its handler, which is told exactly once.
final class EffectRun<Effect: Codable & Sendable, Event: Codable & Sendable>: AttemptRun {
    private enum State {
        /// For a thread.
        case waiting
        /// Its handler's start has not returned; whether it was told to stop meanwhile.
        case starting(isStopped: Bool)
        /// What stops its handler.
        case running(any Disposable)
        /// It was told to stop, and its handler has not ended.
        case stopping
        /// Nothing is delivered any more.
        case over
    }

    let context: EffectContext
    /// The attempt's span, if anybody traces.
    let span: AttemptSpan?
    private let id: AttemptID
    private let payload: Payload
    private let setting: HandlerSetting<Effect, Event>
    private let state = Lock(State.waiting)

    init(_ order: EffectOrder, _ context: EffectContext, in setting: HandlerSetting<Effect, Event>) {
        id = order.id
        payload = order.effect
        self.context = context
        self.setting = setting
        span = setting.tracer?.begin(
            effect: "\(order.id.effect)", type: order.effect.kind.type, attempt: "\(order.id.attempt)",
            traceparent: order.traceparent)
    }

    /// Runs the handler, once its route's policy allows; plain ones on the calling thread, or on that of the one before.
    func begin() {
        let begins = state.withLock { state in
            guard case .waiting = state else { return false }  // cancelled while it waited
            state = .starting(isStopped: false)
            return true
        }
        guard begins else { return }
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

    private func start(_ handler: HandlerRoute<Event>) {
        let callback = EffectCallback<Event>(onFinish: { self.finish(with: $0) }, onSend: { self.send($0) })
        var handler = handler.endingWhenDisposed
        let starts = setting.surroundings.starts
        let waits = handler.execution != .concurrently
        handler.around = { [context, id, span] start in
            if waits { starts?(id) }
            return EffectContext.$current.withValue(context) {
                guard let span else { return start() }
                return ServiceContext.withValue(span.context) { start() }
            }
        }
        handler.executor = setting.surroundings.executor
        if !waits { starts?(id) }
        let disposable = handler.run(callback)
        if handler.kind == .endless { setting.surroundings.goesOn?(id) }
        let isStopped = state.withLock { state in
            switch state {
            case .starting(isStopped: false):
                state = .running(disposable)
                return false
            case .starting(isStopped: true):
                state = .stopping
                return true
            case .over: return !callback.ended  // an event could not be written, or all were stopped
            case .waiting, .running, .stopping: return false
            }
        }
        if isStopped { Self.stop(disposable) }
    }

    private func send(_ event: Event) {
        guard !isOver else { return }
        do {
            setting.deliver(.report(id, event: try answer(event), final: false))
        } catch {
            fail("the handler's event cannot be written: \(error)")
        }
    }

    private func finish(with last: [Event]) {
        if let failure = context.failed { return end(.failed(id, failure)) }
        guard let final = last.last else { return end(.report(id, event: nil, final: true)) }
        if last.count > 1 {
            for event in last.dropLast() { send(event) }
        }
        do {
            end(.report(id, event: try answer(final), final: true))
        } catch {
            fail("the handler's event cannot be written: \(error)")
        }
    }

    /// In the coding of the effect, which is what the program has chosen.
    private func answer(_ event: Event) throws -> Payload {
        try setting.events.encode(event, as: payload.kind.contentType)
    }

    private func fail(_ reason: String) {
        end(.failed(id, HandlerFailure(reason)))
    }
}

// How it ends, or is told to.
extension EffectRun {
    /// Asks the handler to stop; what it says until it has ended is delivered, and one that has not begun is over.
    func cancel() {
        context.cancel()
        let before = state.withLock { state in
            let before = state
            switch state {
            case .waiting: state = .over
            case .starting: state = .starting(isStopped: true)
            case .running: state = .stopping
            case .stopping, .over: break
            }
            return before
        }
        switch before {
        case .waiting:
            span?.end(failure: nil)
            setting.deliver(.report(id, event: nil, final: true))
        case .running(let disposable): Self.stop(disposable)
        case .starting, .stopping, .over: break  // one that is starting is stopped when its start has returned
        }
    }

    /// Asks the handler to stop, and delivers nothing more.
    func abandon() {
        context.cancel()
        let before = close()
        if case .over = before { return }
        span?.end(failure: "it was abandoned")
        if case .running(let disposable) = before { Self.stop(disposable) }
    }

    private var isOver: Bool {
        state.withLock { if case .over = $0 { true } else { false } }
    }

    private func end(_ outcome: HandlerOutcome) {
        let before = close()
        context.cancel()
        if case .over = before { return }
        if let span {
            if case .failed(_, let failure) = outcome {
                span.end(failure: failure.reason)
            } else {
                span.end(failure: nil)
            }
        }
        setting.deliver(outcome)
        // A handler whose event could not be written goes on otherwise; to all others this means nothing.
        if case .failed = outcome, case .running(let disposable) = before { Self.stop(disposable) }
    }

    /// What the state was before.
    private func close() -> State {
        state.withLock { state in
            defer { state = .over }
            return state
        }
    }

    private static func stop(_ disposable: any Disposable) {
        if let effect = disposable as? any StoppableEffect { return effect.stop() }
        disposable.dispose()
    }
}
