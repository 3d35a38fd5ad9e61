import CoreMetrics
import MobiusEngine
import MobiusProcess
import MobiusTransport
import MobiusWire
import Synchronization

/// The state of the fleet at one moment, which only the socket thread can read.
struct FleetView: Sendable {
    var pools: [PoolStatus]
    var loops: Int
    var held: Int
    var kept: Int
    var letters: Int
    /// The same by kind, where there are several programs.
    var kinds: [Kind] = []

    /// The loops of a kind, and their dead letters.
    struct Kind {
        var loops: KindCount
        var letters: Int
    }

    /// That of a coordinator that stands by.
    static let empty = FleetView(pools: [], loops: 0, held: 0, kept: 0, letters: 0)

    /// Adds what another shard has.
    static func += (whole: inout FleetView, part: FleetView) {
        for pool in part.pools {
            guard let place = whole.pools.firstIndex(where: { $0.pool == pool.pool }) else {
                whole.pools.append(pool)
                continue
            }
            whole.pools[place].waiting += pool.waiting
            whole.pools[place].running += pool.running
            whole.pools[place].credit += pool.credit
            // A worker serves all shards.
            whole.pools[place].workers = max(whole.pools[place].workers, pool.workers)
            // Where some still run it, it is not paused.
            if pool.pause == nil { whole.pools[place].pause = nil }
            whole.pools[place].oldest = [whole.pools[place].oldest, pool.oldest].compactMap(\.self).max()
        }
        whole.loops += part.loops
        whole.held += part.held
        whole.kept += part.kept
        whole.letters += part.letters
        for kind in part.kinds {
            guard let place = whole.kinds.firstIndex(where: { $0.loops.kind == kind.loops.kind }) else {
                whole.kinds.append(kind)
                continue
            }
            whole.kinds[place].loops.loops += kind.loops.loops
            whole.kinds[place].loops.held += kind.loops.held
            whole.kinds[place].loops.kept += kind.loops.kept
            whole.kinds[place].letters += kind.letters
        }
    }

    /// What is not of any of the kinds: loops that no program runs, or all where there is one program.
    fileprivate func rest(_ whole: KeyPath<FleetView, Int>, _ part: KeyPath<Kind, Int>) -> Int {
        self[keyPath: whole] - kinds.reduce(0) { $0 + $1[keyPath: part] }
    }
}

/// Gives other threads views of the fleet, which the socket thread makes in its rounds.
///
/// A view traverses all effects, which takes time. The next view is made only after twenty times as long has passed, so
/// that scrapes never take more than a twentieth of the socket thread's time. Until then all callers get the last view.
final class FleetViews: Sendable {
    private struct State {
        var waiting: [UInt64: CheckedContinuation<FleetView?, Never>] = [:]
        var lastID: UInt64 = 0
        var last: FleetView?
        /// The time at which a new view may be made, in nanoseconds of `Vitals.now`.
        var renewsAt: Int64 = .min
        /// Whether a socket thread runs that makes views.
        var isServed = true
    }

    private let state = Mutex(State())
    private let isRequested = Atomic(false)
    private let wakeUp: WakeUp

    /// Makes views; `wakeUp` wakes the socket thread, which computes them.
    init(_ wakeUp: WakeUp) {
        self.wakeUp = wakeUp
    }

    /// Returns a current view, or the last one.
    ///
    /// Returns `nil` if there is no view yet and the socket thread does not make one within `limit`.
    func view(within limit: Duration = .seconds(3)) async -> FleetView? {
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        let timer = Task.detached { [self] in
            try? await Task.sleep(for: limit)
            expire(id)
        }
        defer { timer.cancel() }
        return await withCheckedContinuation { continuation in
            let known: FleetView? = state.withLock { state in
                guard state.isServed else { return .empty }
                if let last = state.last, Vitals.now < state.renewsAt { return last }
                state.waiting[id] = continuation
                return nil
            }
            if let known { return continuation.resume(returning: known) }
            isRequested.store(true, ordering: .releasing)
            wakeUp.signal()
        }
    }

    /// Sets whether the loops are run in this process; without that, views are empty.
    func serve(_ isServed: Bool) {
        let waiting = state.withLock { state in
            state.isServed = isServed
            guard !isServed else { return [CheckedContinuation<FleetView?, Never>]() }
            (state.last, state.renewsAt) = (nil, .min)
            defer { state.waiting = [:] }
            return Array(state.waiting.values)
        }
        for waiter in waiting { waiter.resume(returning: .empty) }
    }

    private func expire(_ id: UInt64) {
        let (waiter, last) = state.withLock { ($0.waiting.removeValue(forKey: id), $0.last) }
        waiter?.resume(returning: last)
    }

    /// Makes a view if one was requested; called on the socket thread in each round.
    func make(_ view: () -> FleetView) {
        guard isRequested.load(ordering: .relaxed) else { return }
        isRequested.store(false, ordering: .relaxed)
        let start = Vitals.now
        let made = view()
        let end = Vitals.now
        let waiting = state.withLock { state in
            state.last = made
            state.renewsAt = end + 20 * (end - start)
            defer { state.waiting = [:] }
            return state.waiting.values
        }
        for waiter in waiting { waiter.resume(returning: made) }
    }
}

/// Exports views of the fleet as gauges.
final class FleetGauges: Sendable {
    private struct Key: Hashable {
        let metric: FleetMetric
        /// The value of its label.
        let label: String?
    }

    private let views: @Sendable () -> [FleetViews]
    private let factory: any MetricsFactory
    private let gauges = Mutex<[Key: Gauge]>([:])
    private let owned: @Sendable () -> Int
    private let shards: @Sendable () -> Int
    private let leaseLeft: @Sendable () -> Duration?

    /// Makes the gauges of a coordinator.
    ///
    /// - Parameters:
    ///   - views: The views of its shards.
    ///   - owned: The number of shards that it runs.
    ///   - shards: The number of all shards.
    ///   - leaseLeft: The time for which it may do so without renewing its lease; `nil` without a lease.
    init(
        _ views: @escaping @Sendable () -> [FleetViews], _ factory: any MetricsFactory,
        owned: @escaping @Sendable () -> Int, shards: @escaping @Sendable () -> Int,
        leaseLeft: @escaping @Sendable () -> Duration?
    ) {
        self.views = views
        self.factory = factory
        self.owned = owned
        self.shards = shards
        self.leaseLeft = leaseLeft
    }

    /// Updates all gauges.
    func refresh() async {
        var view = FleetView.empty
        for shard in views() {
            guard let part = await shard.view() else { return }
            view += part
        }
        set(.runsLoops, to: Double(owned()))
        set(.shards, to: Double(shards()))
        if let left = leaseLeft() { set(.leaseLeft, to: left / .seconds(1)) }
        // What another coordinator has now.
        let gone = gauges.withLock { $0.keys.filter { $0.label != nil } }
            .filter { key in
                key.metric.labels == ["pool"]
                    ? !view.pools.contains { $0.pool == key.label }
                    : !view.kinds.contains { $0.loops.kind == key.label }
            }
        for key in gone { set(key.metric, of: key.label, to: 0) }
        for pool in view.pools {
            set(.pending, of: pool.pool, to: Double(pool.waiting + pool.running))
            set(.running, of: pool.pool, to: Double(pool.running))
            set(.credit, of: pool.pool, to: Double(pool.credit))
            set(.workers, of: pool.pool, to: Double(pool.workers))
            set(.paused, of: pool.pool, to: pool.pause == nil ? 0 : 1)
            set(.oldestAge, of: pool.pool, to: Double(pool.oldest ?? 0) / 1000)
        }
        setByKind(.loops, view, \.loops, \.loops.loops)
        setByKind(.heldLoops, view, \.held, \.loops.held)
        setByKind(.keptLoops, view, \.kept, \.loops.kept)
        setByKind(.letters, view, \.letters, \.letters)
    }

    /// Sets a gauge for each kind; and without one for all, or for what is of no kind.
    private func setByKind(
        _ metric: FleetMetric, _ view: FleetView, _ whole: KeyPath<FleetView, Int>,
        _ part: KeyPath<FleetView.Kind, Int>
    ) {
        for kind in view.kinds { set(metric, of: kind.loops.kind, to: Double(kind[keyPath: part])) }
        let rest = view.rest(whole, part)
        let isKnown = gauges.withLock { $0[Key(metric: metric, label: nil)] != nil }
        if view.kinds.isEmpty || rest != 0 || isKnown { set(metric, to: Double(rest)) }
    }

    /// Updates all gauges every ten seconds until cancelled, for backends that receive pushed metrics.
    func refreshPeriodically() async {
        while !Task.isCancelled {
            await refresh()
            try? await Task.sleep(for: .seconds(10))
        }
    }

    private func set(_ metric: FleetMetric, of label: String? = nil, to value: Double) {
        let gauge = gauges.withLock { gauges in
            let key = Key(metric: metric, label: label)
            if let known = gauges[key] { return known }
            let dimensions = zip(metric.labels, [label].compactMap(\.self)).map { ($0, $1) }
            let made = Gauge(label: metric.rawValue, dimensions: dimensions, factory: factory)
            gauges[key] = made
            return made
        }
        gauge.record(value)
    }
}
