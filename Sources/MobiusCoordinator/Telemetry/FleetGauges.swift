import CoreMetrics
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
            whole.pools[place].oldest = [whole.pools[place].oldest, pool.oldest].compactMap(\.self).max()
        }
        whole.loops += part.loops
        whole.held += part.held
        whole.kept += part.kept
        whole.letters += part.letters
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
        let pool: String?
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
        let gone = gauges.withLock { $0.keys.filter { $0.pool != nil } }
            .filter { key in !view.pools.contains { $0.pool == key.pool } }
        for key in gone { set(key.metric, of: key.pool, to: 0) }
        for pool in view.pools {
            set(.pending, of: pool.pool, to: Double(pool.waiting + pool.running))
            set(.running, of: pool.pool, to: Double(pool.running))
            set(.credit, of: pool.pool, to: Double(pool.credit))
            set(.workers, of: pool.pool, to: Double(pool.workers))
            set(.oldestAge, of: pool.pool, to: Double(pool.oldest ?? 0) / 1000)
        }
        set(.loops, to: Double(view.loops))
        set(.heldLoops, to: Double(view.held))
        set(.keptLoops, to: Double(view.kept))
        set(.letters, to: Double(view.letters))
    }

    /// Updates all gauges every ten seconds until cancelled, for backends that receive pushed metrics.
    func refreshPeriodically() async {
        while !Task.isCancelled {
            await refresh()
            try? await Task.sleep(for: .seconds(10))
        }
    }

    private func set(_ metric: FleetMetric, of pool: String? = nil, to value: Double) {
        let gauge = gauges.withLock { gauges in
            let key = Key(metric: metric, pool: pool)
            if let known = gauges[key] { return known }
            let made = Gauge(
                label: metric.rawValue, dimensions: pool.map { [("pool", $0)] } ?? [], factory: factory)
            gauges[key] = made
            return made
        }
        gauge.record(value)
    }
}
