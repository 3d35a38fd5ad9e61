import MobiusCodec
import MobiusCore
import MobiusTracing
import MobiusWire
import Synchronization
import Tracing

/// One attempt at one effect, from its order to the end of its handler, which is told exactly once; what the handler sees of
/// it is the context.
///
/// It knows no types: generic code of another module is slow, and all but the handler itself needs none of them (see
/// ``RouterHandlers``).
// @unchecked Sendable, as it inherits from a class that is; it adds constants and a lock.
final class EffectRun: EffectContext, @unchecked Sendable {
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

    // Unchecked: only the start of its handler gets there, once.
    /// The effect's bytes, until they are read: an attempt may take long.
    @exclusivity(unchecked) private var bytes: [UInt8] = []
    /// The attempt's span, if anybody traces.
    let span: AttemptSpan?
    private let setting: HandlerSetting
    private let state = Lock(State.waiting)

    init(_ order: consuming EffectOrder, in setting: HandlerSetting) {
        let timeout = order.timeout
        let limit =
            timeout > 0 ? Self.limit(until: setting.surroundings.instant() + .milliseconds(Int64(timeout))) : nil
        span = setting.tracer?.begin(
            effect: "\(order.id.effect)", type: order.effect.kind.type, attempt: "\(order.id.attempt)",
            traceparent: order.traceparent)
        self.setting = setting
        swap(&bytes, &order.effect.bytes)
        super.init(consume order, limit: limit, clock: setting.surroundings.clock)
    }

    /// The effect's bytes, for whoever starts the handler.
    func takeBytes() -> [UInt8] {
        var taken: [UInt8] = []
        swap(&taken, &bytes)
        return taken
    }

    /// What the effect is.
    var kind: PayloadKind { order.effect.kind }

    /// Which attempt it is.
    var attemptID: AttemptID { order.id }

    /// Runs the handler, once its route's policy allows; plain ones on the calling thread, or on that of the one before.
    func begin(_ scratch: inout CodingScratch) {
        let begins = state.withLock { state in
            guard case .waiting = state else { return false }  // cancelled while it waited
            state = .starting(isStopped: false)
            return true
        }
        if begins { setting.handlers.start(self, &scratch) }
    }

    /// Calls `body` where handlers find what they run in.
    // Without a result, which would be one more type to look up.
    func surround(_ body: () -> Void) {
        EffectContext.$current.withValue(self) {
            guard let span else { return body() }
            return ServiceContext.withValue(span.context) { body() }
        }
    }

    /// Its handler starts: what had to wait for its turn waits no more.
    func starts() {
        setting.surroundings.starts?(attemptID)
    }

    /// The start of its handler has returned what stops it; `hasEnded` says whether there is nothing to stop any more.
    func hasStarted(_ disposable: any Disposable, hasEnded: () -> Bool) {
        let isStopped = state.withLock { state in
            switch state {
            case .starting(isStopped: false):
                state = .running(disposable)
                return false
            case .starting(isStopped: true):
                state = .stopping
                return true
            case .over: return !hasEnded()  // an event could not be written, or all were stopped
            case .waiting, .running, .stopping: return false
            }
        }
        if isStopped { Self.stop(disposable) }
    }

    /// Whether nothing is delivered any more.
    var isOver: Bool {
        state.withLock { if case .over = $0 { true } else { false } }
    }

    /// Delivers an event of a handler that goes on.
    func report(_ event: Payload) {
        setting.deliver(.report(attemptID, event: event, final: false))
    }
}

// How it ends, or is told to.
extension EffectRun {
    /// Asks the handler to stop; what it says until it has ended is delivered, and one that has not begun is over.
    func cancel() {
        giveUp()
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
            setting.deliver(.report(attemptID, event: nil, final: true))
        case .running(let disposable): Self.stop(disposable)
        case .starting, .stopping, .over: break  // one that is starting is stopped when its start has returned
        }
    }

    /// Asks the handler to stop, and delivers nothing more.
    func abandon() {
        giveUp()
        let before = close()
        if case .over = before { return }
        span?.end(failure: "it was abandoned")
        if case .running(let disposable) = before { Self.stop(disposable) }
    }

    /// The handler has ended, with a last event or without one.
    func end(with event: consuming Payload?) {
        end(.report(attemptID, event: consume event, final: true))
    }

    /// The attempt could not be done.
    func end(with failure: HandlerFailure) {
        end(.failed(attemptID, failure), failure: failure.reason)
    }

    private func end(_ outcome: consuming HandlerOutcome, failure: String? = nil) {
        let before = close()
        giveUp()
        if case .over = before { return }
        span?.end(failure: failure)
        setting.deliver(consume outcome)
        // A handler whose event could not be written goes on otherwise; to all others this means nothing.
        if failure != nil, case .running(let disposable) = before { Self.stop(disposable) }
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
