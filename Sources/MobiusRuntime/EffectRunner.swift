package import MobiusCore
package import MobiusEngine
import MobiusTracing
package import MobiusWire

/// Runs the handlers of one router, for a worker or for the local routes of a coordinator.
///
/// It is confined to the socket thread, which alone knows what runs. Decoding and handlers run on the given threads,
/// async handlers in tasks of their own; what they answer goes to `deliver`, on whatever thread they answer. Each attempt
/// ends there exactly once, cancelled or not, when its handler has ended; whoever takes that tells ``ended(_:)``. Nothing
/// here ever waits. Policies and routes that cancel hold among the handlers that this runner runs; what they cancel ends
/// without an event.
package final class EffectRunner {
    private var setting: HandlerSetting
    private let surroundings: HandlerSurroundings
    // Nothing that it does comes back here, so nobody needs to check at run time that they are not changed twice at once.
    /// Those that run, as far as somebody asked for one of them by its name, or may do so.
    @exclusivity(unchecked) private var named: [AttemptID: EffectRun] = [:]
    /// Those begun since, of which nearly all end before anybody asks: those that have are let go of many at a time.
    @exclusivity(unchecked) private var unnamed: [EffectRun] = []
    /// How many of these are looked through next.
    private var enough = 256

    /// Makes a runner of the router's handlers, whose progress is measured by `clock`.
    ///
    /// - Parameters:
    ///   - isHelped: whether the caller of ``run(_:)`` calls ``HandlerThreads/help(orReplace:)`` next.
    ///   - limits: how much a handler may send before ``acknowledged(_:events:bytes:)``; `nil` for as much as it likes.
    package convenience init<Effect: Codable & Sendable, Event: Codable & Sendable>(
        _ router: EffectRouter<Effect, Event>, threads: HandlerThreads, isHelped: Bool = false,
        limits: SendLimits? = nil, clock: (@Sendable () -> Moment)? = nil,
        deliver: @escaping @Sendable (consuming HandlerOutcome) -> Void
    ) {
        let surroundings = HandlerSurroundings(
            submit: { (jobs: consuming [HandlerThreads.Job]) in threads.submit(consume jobs, isHelped: isHelped) },
            clock: clock, limits: limits)
        self.init(router, in: surroundings, deliver: deliver)
    }

    /// Makes a runner of the router's handlers, which run as `surroundings` say.
    package init<Effect: Codable & Sendable, Event: Codable & Sendable>(
        _ router: EffectRouter<Effect, Event>, in surroundings: HandlerSurroundings,
        deliver: @escaping @Sendable (consuming HandlerOutcome) -> Void
    ) {
        setting = HandlerSetting(
            RouterHandlers(router, in: surroundings), surroundings: surroundings, deliver: deliver)
        self.surroundings = surroundings
    }

    /// The codings that it reads, and answers in.
    package var contentTypes: [String] { setting.handlers.contentTypes }

    /// What the effects are that it reads: payloads of these very kinds, and not of equal ones, are recognised at once.
    package var effectKinds: [PayloadKind] { setting.handlers.effectKinds }

    /// Runs handlers, begun in this order; their time counts from now.
    package func run(_ orders: consuming [EffectOrder]) {
        guard !orders.isEmpty else { return }
        let setting = setting
        letGo()
        var jobs: [HandlerThreads.Job] = []
        jobs.reserveCapacity(orders.count)
        // Taken from the end, so that they are moved and not copied, as the array's own `reverse()` would.
        orders.withUnsafeMutableBufferPointer { $0.reverse() }
        while let order = orders.popLast() {
            let run = EffectRun(consume order, in: setting)
            jobs.append(HandlerThreads.Job { run.begin(&$0) })
            unnamed.append(consume run)
        }
        if isTracing { name() }
        surroundings.submit(consume jobs)
    }

    /// Runs handlers that have any time they like, begun in this order.
    package func run(_ attempts: [(AttemptID, Payload)]) {
        run(attempts.map { EffectOrder(id: $0.0, effect: $0.1) })
    }

    /// Whether each attempt has a span.
    package var isTracing: Bool { setting.tracer != nil }

    /// What the events of a handler that has not ended carry of its span; empty when nobody traces.
    package func traceparent(of id: AttemptID) -> String { named[id]?.span?.traceparent ?? "" }

    /// Asks a handler to stop: one that has not begun is over, a task is cancelled, its context says so.
    ///
    /// What it still says is delivered, and its end.
    package func cancel(_ id: AttemptID) {
        name()
        named[id]?.cancel()
    }

    /// So many events of a handler that has not ended, with so many bytes, are acknowledged: it may send as many more.
    package func acknowledged(_ id: AttemptID, events: Int, bytes: Int) {
        if named[id] == nil { name() }
        named[id]?.acknowledged(events: events, bytes: bytes)
    }

    /// Forgets a handler that has ended.
    package func ended(_ id: AttemptID) {
        if !named.isEmpty { named[id] = nil }
    }

    /// Has all that run be found by their names.
    private func name() {
        for run in unnamed where !run.isOver { named[run.attemptID] = run }
        unnamed.removeAll(keepingCapacity: true)
    }

    /// Lets go of those without a name that have ended, once they are many.
    private func letGo() {
        guard unnamed.count >= enough else { return }
        unnamed.removeAll(where: \.isOver)
        enough = max(256, 2 * unnamed.count)
    }

    /// When handlers last reported progress: those that did, and have not ended.
    package var progress: [AttemptID: Moment] {
        var moments = named.compactMapValues { $0.progressed }
        for run in unnamed where !run.isOver { moments[run.attemptID] = run.progressed }
        return moments
    }

    /// Stops all handlers; those that wait for their turn do not begin, and nothing they say is delivered.
    package func cancelAll() {
        setting = setting.reopened()
        for run in named.values { run.abandon() }
        for run in unnamed { run.abandon() }
        (named, unnamed) = ([:], [])
    }
}

/// What a handler answers.
package enum HandlerOutcome: Sendable {
    /// An event, or the end without one.
    case report(AttemptID, event: Payload?, final: Bool)
    /// It could not be done; that ends it.
    case failed(AttemptID, HandlerFailure)
}
