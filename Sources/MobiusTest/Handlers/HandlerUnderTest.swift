import MobiusCore
import Synchronization

/// A handler that runs in a test.
protocol HandlerUnderTest<Effect> {
    associatedtype Effect

    /// Starts an effect; its programmer errors are reported at the line of the test.
    func accept(_ effect: Effect, _ file: StaticString, _ line: UInt)
    /// Stops all running effects.
    func stop()
    /// The number of running effects; 1 if that cannot be detected.
    var effectsUnderWay: Int { get }
    /// Whether effects have ended, all of them.
    var hasEnded: Bool { get }
    /// Whether the ends of effects can be detected.
    var showsEnds: Bool { get }
    /// The time to wait for all effects to sleep, because some may wait for something else.
    var patience: Duration { get }
}

/// The events of one test, in order: those before it is closed, and those after.
// Unchecked, because events need not be `Sendable`: they are reached with the lock held.
final class EventLog<Event>: @unchecked Sendable {
    private let lock = Lock<Void>(())
    private var inTime: [Event] = []
    private var late: [Event] = []
    private var isClosed = false

    var values: (inTime: [Event], late: [Event]) {
        var values: (inTime: [Event], late: [Event]) = ([], [])
        lock.withLock { _ in values = (inTime, late) }
        return values
    }

    var count: Int { lock.withLock { _ in inTime.count } }

    func record(_ events: [Event]) {
        lock.withLock { _ in
            if isClosed { late += events } else { inTime += events }
        }
    }

    func close() {
        lock.withLock { _ in isClosed = true }
    }
}

/// A router, whose effects are run one by one, so that the end of each is detected.
struct RouterUnderTest<Effect, Event>: HandlerUnderTest {
    private let router: OpenRouter<Effect, Event>
    private let events: EventLog<Event>
    private let runs = Runs()

    init(_ router: EffectRouter<Effect, Event>, _ events: EventLog<Event>) {
        self.router = OpenRouter(router)
        self.events = events
    }

    func accept(_ effect: Effect, _ file: StaticString, _ line: UInt) {
        switch router.resolve(effect) {
        case .one(.handler(let handler)): run(handler)
        case .one(.cancels(let route)): router.cancel { route.matches($0) }
        case .one(.remote), .none, .many:
            let complaint = router.router.complaint(about: effect)
            MobiusHooks.errorHandler(
                complaint ?? "The effect is routed to other processes; a spec runs handlers of its own process only.",
                file, line)
        }
    }

    func stop() {
        router.close()
        for disposable in runs.takeAll() { disposable.dispose() }
    }

    var effectsUnderWay: Int { runs.count }

    var hasEnded: Bool { runs.count == 0 }

    var showsEnds: Bool { true }

    var patience: Duration { .seconds(1) }

    private func run(_ handler: HandlerRoute<Event>) {
        let id = runs.begin(isEndless: handler.kind == .endless)
        let callback = EffectCallback<Event>(
            onFinish: { [events, runs] last in
                events.record(last)
                runs.end(id)
            },
            onSend: { [events] event in events.record([event]) })
        runs.keep(handler.run(callback), for: id)
    }
}

/// The running effects of one test.
private final class Runs: Sendable {
    private struct State {
        var lastID = 0
        var underWay: [Int: (any Disposable)?] = [:]
        /// Effects of connectables, which do not end by themselves.
        var endless: Set<Int> = []
    }

    private let state = Lock(State())

    /// The number of those that can end.
    var count: Int { state.withLock { $0.underWay.count - $0.endless.count } }

    func begin(isEndless: Bool) -> Int {
        state.withLock { state in
            state.lastID += 1
            state.underWay[state.lastID] = .some(nil)
            if isEndless { state.endless.insert(state.lastID) }
            return state.lastID
        }
    }

    func keep(_ disposable: any Disposable, for id: Int) {
        state.withLock { state in
            if state.underWay[id] != nil { state.underWay[id] = disposable }
        }
    }

    func end(_ id: Int) {
        let ended = state.withLock { state in
            state.endless.remove(id)
            return state.underWay.removeValue(forKey: id)
        }
        _ = ended  // released outside the lock
    }

    /// The disposable of each effect; an effect counts as running until it ends.
    func takeAll() -> [any Disposable] {
        state.withLock { state in
            let underWay = state.underWay
            // Released to break a cycle: a disposable keeps its callback, which keeps this object.
            for id in underWay.keys { state.underWay[id] = .some(nil) }
            return underWay.sorted { $0.key < $1.key }.compactMap(\.value)
        }
    }
}

/// A connectable, of which only events can be detected.
struct ConnectableUnderTest<Effect, Event>: HandlerUnderTest {
    private let connection: Connection<Effect>

    init<Handler: Connectable>(_ handler: Handler, _ events: EventLog<Event>)
    where Handler.Input == Effect, Handler.Output == Event {
        connection = handler.connect { event in events.record([event]) }
    }

    func accept(_ effect: Effect, _: StaticString, _: UInt) { connection.accept(effect) }

    func stop() { connection.dispose() }

    var effectsUnderWay: Int { 1 }

    var hasEnded: Bool { false }

    var showsEnds: Bool { false }

    var patience: Duration { .milliseconds(50) }
}
