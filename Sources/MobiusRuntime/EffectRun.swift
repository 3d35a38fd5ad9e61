import MobiusCodec
import MobiusCore
import MobiusWire
import Synchronization
import Tracing

/// One attempt at one effect, from its order to the end of its handler, which is delivered exactly once; handlers see
/// it as their ``EffectContext``.
///
/// It is not generic: generic code of another module is slow, and only the handler itself needs the types (see
/// ``RouterHandlers``).
// @unchecked Sendable, as its superclass is; it adds constants, an atomic, and members that one thread at a time may
// touch.
final class EffectRun: EffectContext, @unchecked Sendable {
    // In the order in which they follow each other; no transition goes back.
    private enum State: UInt8, AtomicRepresentable {
        /// Waits for a thread.
        case waiting
        /// The handler's start has not returned.
        case starting
        /// The same, and the handler was asked to stop.
        case startingToStop
        /// The handler runs, and its `stopper` is set.
        case running
        /// The handler was asked to stop and has not ended.
        case stopping
        /// Nothing is delivered any more.
        case over
    }

    // Unchecked: only the start of the handler touches it, once.
    /// The effect's bytes until they are read, so that a long attempt does not keep them.
    @exclusivity(unchecked) private var bytes: [UInt8] = []
    /// The attempt's span; `nil` when tracing is off.
    let span: AttemptSpan?
    private let environment: HandlerEnvironment
    private let state = Atomic(State.waiting)
    /// Bounds the handler's events; created for the first event that does not end the attempt, or to wake a waiting
    /// handler.
    private let lazyWindow = AtomicLazyReference<SendWindow>()
    /// Whether it was created: most attempts end without, and a look at it would look its type up.
    // With the strictest ordering, as the state when it ends: either the end sees the window, or who waits there the end.
    private let hasWindow = Atomic(false)
    /// Whether an event was dropped after the cancellation: then no later one is delivered, because the attempt may be
    /// adopted by a coordinator that does not know that it was cancelled.
    private let hasGap = Atomic(false)
    // Unchecked: it belongs to the start until the state is `.running`, and then to the thread that changes the state.
    /// Stops the handler while it runs.
    @exclusivity(unchecked) private var stopper: (any Disposable)?

    /// An attempt at an order that arrived at this time, as ``EffectContext/time(of:)`` counts it.
    init(_ order: consuming EffectOrder, in environment: HandlerEnvironment, arrived: Duration) {
        let timeout = order.timeout
        let limit = timeout > 0 ? arrived + .milliseconds(Int64(timeout)) : nil
        span = environment.tracer?.begin(
            effect: "\(order.id.effect)", type: order.effect.kind.type, attempt: "\(order.id.attempt)",
            traceparent: order.traceparent)
        self.environment = environment
        swap(&bytes, &order.effect.bytes)
        super.init(consume order, limit: limit, clock: environment.executor.clock)
    }

    /// Moves the effect's bytes out, for the code that starts the handler.
    func takeBytes() -> [UInt8] {
        var taken: [UInt8] = []
        swap(&taken, &bytes)
        return taken
    }

    var kind: PayloadKind { order.effect.kind }

    var attemptID: AttemptID { order.id }

    /// Runs the handler once its route's policy allows; plain closures on the calling thread, or on the thread that ran
    /// the one before.
    func begin(_ scratch: inout CodingScratch) {
        guard moves(from: .waiting, to: .starting) else { return }  // cancelled before it began
        environment.handlers.start(self, &scratch)
    }

    /// Calls `body` with the handler's task-local values set.
    // Without a result, whose type would need another metadata lookup.
    func surround(_ body: () -> Void) {
        EffectContext.$current.withValue(self) {
            guard let span else { return body() }
            return ServiceContext.withValue(span.context) { body() }
        }
    }

    /// The handler starts: it no longer waits for its turn.
    func starts() {
        environment.executor.onStart?(attemptID)
    }

    /// The start of the handler has returned `disposable`; `hasEnded` returns whether the handler has already ended.
    func hasStarted(_ disposable: any Disposable, hasEnded: () -> Bool) {
        stopper = disposable
        if moves(from: .starting, to: .running) { return }
        // The state is `.over` if an event could not be encoded, or if all handlers were stopped.
        stopper = nil
        if moves(from: .startingToStop, to: .stopping) || isOver && !hasEnded() { Self.stop(disposable) }
    }

    var isOver: Bool { state.load(ordering: .sequentiallyConsistent) == .over }

    /// Delivers an event of a handler that continues; blocks the thread while too many events are not acknowledged.
    func report(_ event: Payload) {
        if let window {
            // A handler that was asked to stop, or has ended, does not wait: its event is delivered if there is room.
            guard !hasGap.load(ordering: .acquiring),
                window.admit(bytes: event.bytes.count, unless: { isCancelled || isOver }), !isOver
            else {
                hasGap.store(true, ordering: .releasing)
                return
            }
        }
        environment.deliver(.report(attemptID, event: event, final: false))
    }

    /// Suspends while too many events are not acknowledged.
    override func room() async {
        await window?.room { [self] in isCancelled || isOver }
    }

    /// The receiver acknowledged `events` events of this handler, with `bytes` bytes in total.
    func acknowledged(events: Int, bytes: Int) {
        guard hasWindow.load(ordering: .sequentiallyConsistent) else { return }
        lazyWindow.load()?.acknowledge(events: events, bytes: bytes)
    }

    /// `nil` when the events of handlers are not bounded.
    private var window: SendWindow? {
        guard let limits = environment.executor.limits else { return nil }
        if hasWindow.load(ordering: .sequentiallyConsistent), let window = lazyWindow.load() { return window }
        let window = lazyWindow.storeIfNil(SendWindow(limits))
        hasWindow.store(true, ordering: .sequentiallyConsistent)
        return window
    }
}

// MARK: - Ending
extension EffectRun {
    /// Asks the handler to stop.
    ///
    /// Its events are still delivered until it has ended; a handler that has not begun ends at once.
    func cancel() {
        giveUp()
        window?.wake()
        if moves(from: .waiting, to: .over) {
            span?.end(failure: nil)
            environment.deliver(.report(attemptID, event: nil, final: true))
        } else if !moves(from: .starting, to: .startingToStop), moves(from: .running, to: .stopping) {
            if let disposable = stopper.take() { Self.stop(disposable) }
        }  // a starting handler is stopped when its start has returned
    }

    /// Asks the handler to stop; delivers nothing from now on.
    func abandon() {
        giveUp()
        let before = close()
        window?.wake()
        if before == .over { return }
        span?.end(failure: "it was abandoned")
        if before == .running, let disposable = stopper.take() { Self.stop(disposable) }
    }

    /// The handler has ended, with a last event or without one.
    func end(with event: consuming Payload?) {
        if hasGap.load(ordering: .acquiring) { event = nil }
        end(.report(attemptID, event: consume event, final: true))
    }

    /// The attempt has failed.
    func end(with failure: HandlerFailure) {
        end(.failed(attemptID, failure), failure: failure.reason)
    }

    private func end(_ outcome: consuming HandlerOutcome, failure: String? = nil) {
        let before = close()
        giveUp()
        // If no window was created, no thread waits for it.
        if hasWindow.load(ordering: .sequentiallyConsistent) { lazyWindow.load()?.wake() }
        if before == .over { return }
        span?.end(failure: failure)
        environment.deliver(consume outcome)
        guard before == .running, let disposable = stopper.take() else { return }
        // A handler whose event could not be encoded would continue; for all others a stop now has no effect.
        if failure != nil { Self.stop(disposable) }
    }

    /// Ends the attempt; returns the state before.
    private func close() -> State { state.exchange(.over, ordering: .sequentiallyConsistent) }

    /// Changes the state if it is `before`; returns whether it was.
    private func moves(from before: State, to after: State) -> Bool {
        state.compareExchange(expected: before, desired: after, ordering: .acquiringAndReleasing).exchanged
    }

    private static func stop(_ disposable: any Disposable) {
        if let effect = disposable as? any StoppableEffect { return effect.stop() }
        disposable.dispose()
    }
}
