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
// @unchecked Sendable, as it inherits from a class that is; it adds constants, an atomic, and what one thread at a time may touch.
final class EffectRun: EffectContext, @unchecked Sendable {
    // In the order in which they follow each other: none comes back.
    private enum State: UInt8, AtomicRepresentable {
        /// For a thread.
        case waiting
        /// Its handler's start has not returned.
        case starting
        /// The same, and it was told to stop.
        case startingToStop
        /// What stops its handler is known.
        case running
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
    private let state = Atomic(State.waiting)
    /// What bounds its events; made for the first one that does not end it, or to wake a waiting handler.
    private let sent = AtomicLazyReference<SendWindow>()
    // Unchecked: it belongs to the start until the handler is `.running`, and then to the one who changes that.
    /// What stops its handler, while that runs.
    @exclusivity(unchecked) private var stopper: (any Disposable)?

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
        guard moves(from: .waiting, to: .starting) else { return }  // cancelled while it waited
        setting.handlers.start(self, &scratch)
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
        stopper = disposable
        if moves(from: .starting, to: .running) { return }
        // It was over if an event could not be written, or all were stopped.
        stopper = nil
        if moves(from: .startingToStop, to: .stopping) || isOver && !hasEnded() { Self.stop(disposable) }
    }

    /// Whether nothing is delivered any more.
    var isOver: Bool { state.load(ordering: .acquiring) == .over }

    /// Delivers an event of a handler that goes on; waits while too many of them are not acknowledged.
    func report(_ event: Payload) {
        if let window {
            // One that was told to end, or has ended, waits no more: it is heard as far as there is room.
            guard window.admit(bytes: event.bytes.count, unless: { isCancelled || isOver }), !isOver else { return }
        }
        setting.deliver(.report(attemptID, event: event, final: false))
    }

    /// Suspends while too many of its events are not acknowledged.
    override func room() async {
        await window?.room { [self] in isCancelled || isOver }
    }

    /// So many of its events, with so many bytes, are acknowledged.
    func acknowledged(events: Int, bytes: Int) {
        sent.load()?.acknowledge(events: events, bytes: bytes)
    }

    /// `nil` where nothing bounds what handlers send.
    private var window: SendWindow? {
        guard let limits = setting.surroundings.limits else { return nil }
        return sent.load() ?? sent.storeIfNil(SendWindow(limits))
    }
}

// How it ends, or is told to.
extension EffectRun {
    /// Asks the handler to stop; what it says until it has ended is delivered, and one that has not begun is over.
    func cancel() {
        giveUp()
        window?.wake()
        if moves(from: .waiting, to: .over) {
            span?.end(failure: nil)
            setting.deliver(.report(attemptID, event: nil, final: true))
        } else if !moves(from: .starting, to: .startingToStop), moves(from: .running, to: .stopping) {
            if let disposable = stopper.take() { Self.stop(disposable) }
        }  // one that is starting is stopped when its start has returned
    }

    /// Asks the handler to stop, and delivers nothing more.
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
        end(.report(attemptID, event: consume event, final: true))
    }

    /// The attempt could not be done.
    func end(with failure: HandlerFailure) {
        end(.failed(attemptID, failure), failure: failure.reason)
    }

    private func end(_ outcome: consuming HandlerOutcome, failure: String? = nil) {
        let before = close()
        giveUp()
        // One that was never made is full for nobody.
        sent.load()?.wake()
        if before == .over { return }
        span?.end(failure: failure)
        setting.deliver(consume outcome)
        guard before == .running, let disposable = stopper.take() else { return }
        // A handler whose event could not be written goes on otherwise; to all others this means nothing.
        if failure != nil { Self.stop(disposable) }
    }

    /// What the state was before.
    private func close() -> State { state.exchange(.over, ordering: .acquiringAndReleasing) }

    /// Whether it was in the one state; then it is in the other.
    private func moves(from before: State, to after: State) -> Bool {
        state.compareExchange(expected: before, desired: after, ordering: .acquiringAndReleasing).exchanged
    }

    private static func stop(_ disposable: any Disposable) {
        if let effect = disposable as? any StoppableEffect { return effect.stop() }
        disposable.dispose()
    }
}
