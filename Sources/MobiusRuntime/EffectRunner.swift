package import MobiusCore
package import MobiusEngine
package import MobiusProgram
package import MobiusWire

/// Runs the handlers of one router, for a worker or for the local routes of a coordinator.
///
/// It is confined to the socket thread, which alone decides what runs. Decoding and handlers run on the given threads,
/// async handlers in tasks of their own; `deliver` receives their outcomes on the thread that produced them. Each
/// attempt delivers its end exactly once, cancelled or not, when its handler has ended; the receiver then calls
/// ``ended(_:)``. No method blocks. Policies and `.cancels` routes apply to the handlers of this runner only; a handler
/// that they cancel ends without an event.
package final class EffectRunner {
    private var environment: HandlerEnvironment
    private let executor: HandlerExecutor
    // Unchecked: no call made while they change returns to this object.
    /// Attempts that run and have been looked up by id, or may have been.
    @exclusivity(unchecked) private var byID: [AttemptID: EffectRun] = [:]
    /// Newer attempts, most of which end before any look-up by id.
    ///
    /// Those that have ended are removed in bulk.
    @exclusivity(unchecked) private var recent: [EffectRun] = []
    /// The length of the list above at which ended attempts are removed next.
    private var sweepThreshold = 256

    /// Runs the router's handlers; their progress is measured with `clock`.
    ///
    /// - Parameters:
    ///   - runsInline: whether the caller of ``run(_:)`` calls ``HandlerThreads/runInline(onStall:)`` next.
    ///   - limits: how much a handler may send before ``acknowledged(_:events:bytes:)``; `nil` for no limit.
    package convenience init<Effect: Codable & Sendable, Event: Codable & Sendable>(
        _ router: EffectRouter<Effect, Event>, threads: HandlerThreads, runsInline: Bool = false,
        limits: SendLimits? = nil, clock: (@Sendable () -> Moment)? = nil,
        deliver: @escaping @Sendable (consuming HandlerOutcome) -> Void
    ) {
        let executor = HandlerExecutor(
            submit: { (jobs: consuming [HandlerThreads.Job]) in threads.submit(consume jobs, runsInline: runsInline) },
            clock: clock, limits: limits)
        self.init(router, in: executor, deliver: deliver)
    }

    /// Runs the handlers of programs' routers, each for loops of its program.
    package convenience init<Program>(
        _ functions: any ProgramFunctions<Program>, threads: HandlerThreads, limits: SendLimits? = nil,
        deliver: @escaping @Sendable (consuming HandlerOutcome) -> Void
    ) {
        let executor = HandlerExecutor(
            submit: { (jobs: consuming [HandlerThreads.Job]) in threads.submit(consume jobs) }, clock: nil,
            limits: limits)
        self.init(functions, in: executor, deliver: deliver)
    }

    /// Runs the handlers of these routers, each for effects of its type.
    package convenience init(
        _ routers: [ErasedRouter], threads: HandlerThreads, runsInline: Bool = false, limits: SendLimits? = nil,
        deliver: @escaping @Sendable (consuming HandlerOutcome) -> Void
    ) {
        let executor = HandlerExecutor(
            submit: { (jobs: consuming [HandlerThreads.Job]) in threads.submit(consume jobs, runsInline: runsInline) },
            clock: nil, limits: limits)
        self.init(SeveralHandlers.handlers(routers, in: executor), in: executor, deliver: deliver)
    }

    /// Runs the handlers of programs' routers in `executor`, each for loops of its program.
    package convenience init<Program>(
        _ functions: any ProgramFunctions<Program>, in executor: HandlerExecutor,
        deliver: @escaping @Sendable (consuming HandlerOutcome) -> Void
    ) {
        self.init(SeveralHandlers.handlers(functions, in: executor), in: executor, deliver: deliver)
    }

    /// Runs the router's handlers in `executor`.
    package convenience init<Effect: Codable & Sendable, Event: Codable & Sendable>(
        _ router: EffectRouter<Effect, Event>, in executor: HandlerExecutor,
        deliver: @escaping @Sendable (consuming HandlerOutcome) -> Void
    ) {
        self.init(RouterHandlers(router, in: executor), in: executor, deliver: deliver)
    }

    private init(
        _ handlers: any TypedHandlers, in executor: HandlerExecutor,
        deliver: @escaping @Sendable (consuming HandlerOutcome) -> Void
    ) {
        environment = HandlerEnvironment(handlers, executor: executor, deliver: deliver)
        self.executor = executor
    }

    /// The content types of the effects that it decodes and of the events that it encodes.
    package var contentTypes: [String] { environment.handlers.contentTypes }

    /// The payload kinds that it decodes: payloads with these very instances are recognised faster than equal ones.
    package var effectKinds: [PayloadKind] { environment.handlers.effectKinds }

    /// Starts handlers in this order; their time-outs count from now.
    package func run(_ orders: consuming [EffectOrder]) {
        guard !orders.isEmpty else { return }
        let environment = environment
        removeEnded()
        // Once for all of them: clocks cost.
        let arrived = EffectContext.time(of: executor.instant())
        var jobs: [HandlerThreads.Job] = []
        jobs.reserveCapacity(orders.count)
        // Taken from the end, so that orders are moved, not copied; the array's own `reverse()` would copy them.
        orders.withUnsafeMutableBufferPointer { $0.reverse() }
        while let order = orders.popLast() {
            let run = EffectRun(consume order, in: environment, arrived: arrived)
            jobs.append(HandlerThreads.Job { run.begin(&$0) })
            recent.append(consume run)
        }
        if isTracing { indexRecent() }
        executor.submit(consume jobs)
    }

    /// Starts handlers without time-outs, in this order.
    package func run(_ attempts: [(AttemptID, Payload)]) {
        run(attempts.map { EffectOrder(id: $0.0, effect: $0.1) })
    }

    /// Whether tracing is on, so that each attempt has a span.
    package var isTracing: Bool { environment.tracer != nil }

    /// The `traceparent` of a running handler's span, for its events; empty when tracing is off.
    package func traceparent(of id: AttemptID) -> String { byID[id]?.span?.traceparent ?? "" }

    /// Asks a handler to stop: one that has not begun ends at once; otherwise its task and its context are cancelled.
    ///
    /// Events that it still sends are delivered, and so is its end.
    package func cancel(_ id: AttemptID) {
        indexRecent()
        byID[id]?.cancel()
    }

    /// The receiver acknowledged `events` events of a running handler, `bytes` bytes in total: it may send as many
    /// more.
    package func acknowledged(_ id: AttemptID, events: Int, bytes: Int) {
        if byID[id] == nil { indexRecent() }
        byID[id]?.acknowledged(events: events, bytes: bytes)
    }

    /// Removes a handler that has ended.
    package func ended(_ id: AttemptID) {
        if !byID.isEmpty { byID[id] = nil }
    }

    /// Moves all running attempts to the dictionary, so that they are found by id.
    private func indexRecent() {
        for run in recent where !run.isOver { byID[run.attemptID] = run }
        recent.removeAll(keepingCapacity: true)
    }

    /// Removes ended attempts from the list of newer ones once it is long.
    private func removeEnded() {
        guard recent.count >= sweepThreshold else { return }
        recent.removeAll(where: \.isOver)
        sweepThreshold = max(256, 2 * recent.count)
    }

    /// The times at which running handlers last reported progress; without those that never did.
    package var progress: [AttemptID: Moment] {
        var moments = byID.compactMapValues { $0.progressed }
        for run in recent where !run.isOver { moments[run.attemptID] = run.progressed }
        return moments
    }

    /// Stops all handlers.
    ///
    /// Those that wait for their turn do not begin, and no events are delivered any more.
    package func cancelAll() {
        environment = environment.emptyCopy()
        for run in byID.values { run.abandon() }
        for run in recent { run.abandon() }
        (byID, recent) = ([:], [])
    }
}

/// The outcome that a handler delivers.
package enum HandlerOutcome: Sendable {
    /// An event, or the end of the handler without one.
    case report(AttemptID, event: Payload?, final: Bool)
    /// The attempt has failed, which ends it.
    case failed(AttemptID, HandlerFailure)
}
