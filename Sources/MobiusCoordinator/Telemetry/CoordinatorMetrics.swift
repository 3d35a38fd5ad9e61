import CoreMetrics
import MobiusEngine
import MobiusJournal
import MobiusProcess
import MobiusWire

/// The metrics that a coordinator records while it works; used by the socket thread.
///
/// Exists only if metrics are enabled; otherwise nothing is counted.
final class CoordinatorMetrics {
    /// The counters of one pool.
    private struct Pool {
        let dispatched: Counter
        let retried: Counter
        let failed: Counter
        let deadLettered: Counter
        let time: Timer
    }

    /// The counters of one kind of loops; of all, where there is one program.
    private struct Kind {
        let events: Counter
        let refusedLoops: Counter
        /// The events of the records that are being appended.
        var applied = 0

        init(_ name: String?, _ factory: any MetricsFactory) {
            let dimensions = name.map { [("kind", $0)] } ?? []
            func counter(_ metric: FleetMetric) -> Counter {
                Counter(label: metric.rawValue, dimensions: dimensions, factory: factory)
            }
            (events, refusedLoops) = (counter(.events), counter(.refusedLoops))
        }
    }

    private let factory: any MetricsFactory
    private let kinds: LoopKinds
    private var countsOfKinds: [Kind]
    private var pools: [String: Pool] = [:]

    init(_ factory: any MetricsFactory, _ kinds: LoopKinds) {
        self.factory = factory
        self.kinds = kinds
        countsOfKinds = kinds.isEmpty ? [Kind(nil, factory)] : kinds.all.map { Kind($0.name, factory) }
    }

    /// Only loops that a program runs begin and apply events.
    private func index(of loop: LoopID) -> Int { kinds.index(of: loop) ?? 0 }

    /// A loop could not begin because of a limit.
    func refused(_ loop: LoopID) { countsOfKinds[index(of: loop)].refusedLoops.increment() }

    /// Orders were sent to one worker.
    func sent(_ orders: [EffectOrder], to peer: Peer, _ machine: borrowing CoordinatorMachine) {
        let served = machine.pools(of: peer)
        // A worker that serves one pool, the usual case, has only orders of that pool.
        if let only = served.first, served.count == 1 {
            pool(only).dispatched.increment(by: orders.count)
        } else {
            for order in orders {
                if let name = machine.pool(of: order.id.effect) { pool(name).dispatched.increment() }
            }
        }
    }

    /// Records are about to be appended to the journal.
    func appended(_ records: [JournalRecord], at now: Moment, _ machine: borrowing CoordinatorMachine) {
        for record in records {
            switch record {
            case .event(let event):
                countsOfKinds[index(of: event.loop)].applied += 1
                if let id = event.ends { ended(id, at: now, machine) }
                if case .failure(let id, _) = event.source, let name = machine.pool(of: id) {
                    pool(name).failed.increment()
                }
            case .note(let id, let note): noted(note, on: id, at: now, machine)
            }
        }
        for kind in countsOfKinds.indices where countsOfKinds[kind].applied > 0 {
            countsOfKinds[kind].events.increment(by: countsOfKinds[kind].applied)
            countsOfKinds[kind].applied = 0
        }
    }

    private func noted(_ note: EffectNote, on id: EffectID, at now: Moment, _ machine: borrowing CoordinatorMachine) {
        switch note {
        case .ended: ended(id, at: now, machine)
        case .retried: if let name = machine.pool(of: id) { pool(name).retried.increment() }
        case .deadLettered: if let name = machine.pool(of: id) { pool(name).deadLettered.increment() }
        case .started, .answered, .requeued, .dropped, .remarked, .loopEnded: break
        }
    }

    private func ended(_ id: EffectID, at now: Moment, _ machine: borrowing CoordinatorMachine) {
        guard let (name, age) = machine.age(of: id, at: now) else { return }
        let (seconds, attoseconds) = age.components
        pool(name).time.recordNanoseconds(seconds * 1_000_000_000 + attoseconds / 1_000_000_000)
    }

    private func pool(_ name: String) -> Pool {
        if let known = pools[name] { return known }
        let dimensions = [("pool", name)]
        func counter(_ metric: FleetMetric) -> Counter {
            Counter(label: metric.rawValue, dimensions: dimensions, factory: factory)
        }
        let made = Pool(
            dispatched: counter(.dispatched), retried: counter(.retried), failed: counter(.failed),
            deadLettered: counter(.deadLettered),
            time: Timer(label: FleetMetric.effectTime.rawValue, dimensions: dimensions, factory: factory))
        pools[name] = made
        return made
    }

    /// Creates the counters of these pools, so that the first scrape has them and rates begin at 0.
    func know(_ pools: [PoolStatus]) {
        for pool in pools { _ = self.pool(pool.pool) }
    }
}

/// The metrics of commits, recorded on the journal thread.
package struct CommitMetrics: Sendable {
    private let time: Timer
    private let size: Recorder

    init(_ factory: any MetricsFactory) {
        time = Timer(label: FleetMetric.commitTime.rawValue, dimensions: [], factory: factory)
        size = Recorder(label: FleetMetric.commitSize.rawValue, dimensions: [], aggregate: true, factory: factory)
    }

    func committed(_ records: Int, in nanoseconds: Int64) {
        time.recordNanoseconds(nanoseconds)
        size.record(records)
    }
}
