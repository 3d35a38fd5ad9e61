import Logging
import MobiusCore
import MobiusDriver
import MobiusEngine
import MobiusJournal
import MobiusRuntime
import MobiusTransport
import MobiusWire

/// Keeps a process's leases: makes the calls of the database that a ``LeaseDriver`` wants, on a thread of its own.
///
/// A slow commit or a busy socket thread never delays a renewal, and a slow renewal delays neither.
final class LeaseKeeper: Sendable {
    /// A shard that this process has taken, to be run until its gate is closed.
    typealias Term = ShardTerm<LeaseGate>

    private struct State {
        var driver: LeaseDriver<LeaseGate>
        /// The open store, to wake its thread.
        var store: (any LeaseStore)?
        var view: [ShardState] = []
        var hasLeft = false
    }

    private let open: @Sendable () throws(JournalError) -> any LeaseStore
    private let timing: LeaseTiming
    private let logger: Logger
    /// Called now and then by a thread that waits: for a term, or at the gate of a shard.
    private let onWait: @Sendable (_ shard: UInt32?) -> Void
    /// Called when a shard is lost, on this keeper's thread.
    private let onLoss: @Sendable (_ shard: UInt32) -> Void
    /// Called when the shards were read, on this keeper's thread.
    private let onRead: @Sendable ([ShardState]) -> Void
    /// Called when a shard gets other units of a limit, on this keeper's thread.
    private let onShare: @Sendable (_ shard: UInt32, LimitGrant) -> Void
    /// Called when the work of a shard is to end in order, on this keeper's thread.
    private let onHandOver: @Sendable (_ shard: UInt32, _ epoch: UInt64) -> Void
    // The state is accessed only with the condition's lock held.
    private let condition = MonotonicCondition()
    nonisolated(unsafe) private var state: State

    /// Makes a keeper; ``start(_:)`` starts its thread.
    init(
        _ holder: LeaseHolder, timing: LeaseTiming, logger: Logger,
        onWait: @escaping @Sendable (_ shard: UInt32?) -> Void,
        onLoss: @escaping @Sendable (_ shard: UInt32) -> Void, onRead: @escaping @Sendable ([ShardState]) -> Void,
        onShare: @escaping @Sendable (_ shard: UInt32, LimitGrant) -> Void,
        onHandOver: @escaping @Sendable (_ shard: UInt32, _ epoch: UInt64) -> Void,
        open: @escaping @Sendable () throws(JournalError) -> any LeaseStore
    ) {
        self.open = open
        self.timing = timing
        self.logger = logger
        self.onWait = onWait
        self.onLoss = onLoss
        self.onRead = onRead
        self.onShare = onShare
        self.onHandOver = onHandOver
        state = State(
            driver: LeaseDriver(holder, timing: timing) { shard, _, end in
                LeaseGate(until: end, onWait: { onWait(shard) })
            })
    }

    /// Starts its thread with a store that is open.
    func start(_ store: any LeaseStore) {
        DetachedThread.run(named: "lease") { [self] in work(store) }
    }

    // MARK: - For the threads that run the shards

    /// Waits until this process has taken a shard, and its work before that has ended; `nil` after ``leave()``.
    func nextTerm() -> Term? {
        condition.lock()
        defer { condition.unlock() }
        while true {
            if let term = state.driver.nextTerm() { return term }
            guard !state.driver.isLeaving else { return nil }
            onWait(nil)
            _ = condition.wait(for: .milliseconds(500))
        }
    }

    /// Waits until everything that ``nextTerm()`` returned has ended.
    func waitForTerms() {
        condition.lock()
        defer { condition.unlock() }
        while state.driver.isRunning {
            onWait(nil)
            _ = condition.wait(for: .milliseconds(500))
        }
    }

    /// A shard is served at these endpoints, which others learn from the database.
    func serves(_ term: Term, workers: String, clients: String) {
        post(.serves(term.shard, epoch: term.epoch, workers: workers, clients: clients))
    }

    /// The shard's machine says what it could use of the cluster's limits.
    ///
    /// The thread is woken only for what is pressing; the rest it sees at its next call.
    func demand(_ demands: [LimitDemand], in term: Term) {
        condition.lock()
        guard state.driver.demand(demands, in: term) else { return condition.unlock() }
        wake()
    }

    /// A worker has seen an epoch of the shard above that of its term.
    func outranked(_ term: Term, by epoch: UInt64) { post(.outranked(term.shard, epoch: term.epoch, by: epoch)) }

    /// The work of a term has ended: its lease is released, if it is still this process's.
    ///
    /// - Parameter possibleHolders: The workers that hold effects, when no others do.
    func ended(_ term: Term, isFailure: Bool, possibleHolders: [Incarnation]? = nil) {
        condition.lock()
        state.driver.ended(term, isFailure: isFailure, possibleHolders: possibleHolders)
        wake()
    }

    /// The work of a term has ended because no process can run its shard as that is.
    func unfit(_ term: Term) {
        condition.lock()
        state.driver.unfit(term)
        wake()
    }

    // MARK: - For any thread

    /// The time for which the work of this process may go on without a renewal; `nil` while it has no lease.
    var trustLeft: Duration? {
        condition.lock()
        defer { condition.unlock() }
        return state.driver.gates.values.compactMap(\.left).min()
    }

    /// The shards and their leases as they were read last.
    var view: [ShardState] {
        condition.lock()
        defer { condition.unlock() }
        return state.view
    }

    /// Takes no more shards, so that ``nextTerm()`` returns `nil` from now on.
    ///
    /// May be called any number of times.
    func leave() {
        condition.lock()
        state.driver.leave()
        wake()
    }

    /// Waits until everything is released after ``leave()``, or until that has taken this long.
    func waitUntilLeft(for limit: Duration) {
        let end = Moment.current + limit
        condition.lock()
        defer { condition.unlock() }
        while !state.hasLeft, Moment.current < end { _ = condition.wait(for: end - .current) }
    }

    private func post(_ input: LeaseInput) {
        condition.lock()
        state.driver.post(input)
        wake()
    }

    /// Unlocks the condition and wakes all that wait.
    private func wake() {
        let store = state.store
        condition.unlock()
        condition.broadcast()
        store?.wake()
    }

    // MARK: - Its thread

    private func work(_ opened: any LeaseStore) {
        var store: (any LeaseStore)? = opened
        know(store)
        change { $0.answered(.connect, .connected, asked: .current, at: .current) }
        var (throttle, heldThrottle) = (LogThrottle(), LogThrottle())
        while true {
            let step = next()
            if step == .leave { break }
            do throws(JournalError) {
                let asked = Moment.current
                guard let answer = try call(step, &store) else { continue }
                change { $0.answered(step, answer, asked: asked, at: .current) }
                if case .read(let shards) = answer { onRead(shards) }
            } catch {
                guard failed(step, isHeld: error.code == .held) else {
                    if case .acquire(let seen, _, _) = step, let unlogged = heldThrottle.admit(at: .current) {
                        logger.warning(
                            "a shard cannot be taken, and is tried again",
                            metadata: ["shard": "\(seen.shard)", "error": "\(error)", "unlogged": "\(unlogged)"])
                    }
                    continue
                }
                know(nil)
                store?.close()
                store = nil
                if let unlogged = throttle.admit(at: .current) {
                    logger.warning(
                        "the leases' database does not answer, still trying",
                        metadata: ["error": "\(error)", "unlogged": "\(unlogged)"])
                }
            }
        }
        know(nil)
        store?.close()
        condition.lock()
        state.hasLeft = true
        wake()
    }

    private func know(_ store: (any LeaseStore)?) {
        condition.lock()
        state.store = store
        condition.unlock()
    }

    /// Makes one call; returns its answer, if it has one.
    private func call(
        _ step: LeaseStep, _ store: inout (any LeaseStore)?
    ) throws(JournalError) -> LeaseDriver<LeaseGate>.Answer? {
        switch step {
        case .connect:
            store = try open()
            know(store)
            return .connected
        case .wait(let end): return try wait(until: end, store) ? .woken : nil
        case .leave: return nil
        default: break
        }
        guard let store else { return nil }
        switch step {
        case .read: return .read(try store.shards())
        case .attend(let holder, let isReady):
            return .attended(try store.attend(as: holder, isReady: isReady, for: timing.lease))
        case .resign(let process):
            try store.resign(process)
            return .resigned
        case .acquire(let seen, let holder, let floor):
            return .acquired(try store.acquire(seen, as: holder, for: timing.lease, above: floor))
        case .renew(let leases): return .renewed(try store.renew(leases, for: timing.lease))
        case .release(let shard, let epoch, let possibleHolders):
            try store.release(shard, epoch: epoch, possibleHolders: possibleHolders)
            return .released
        case .readShares(let time): return .shares(try store.limitShares(within: time))
        case .claimShares(let shard, let epoch, let claims, let time):
            return .claimed(try store.claim(claims, for: shard, epoch: epoch, within: time))
        case .connect, .wait, .leave: return nil
        }
    }

    /// Waits; returns whether a lease was released.
    private func wait(until end: Moment, _ store: (any LeaseStore)?) throws(JournalError) -> Bool {
        if let store {
            let time = end - .current
            return time > .zero ? try store.wait(for: time) : false
        }
        condition.lock()
        defer { condition.unlock() }
        // What came since the step was chosen may change it.
        if !state.driver.hasInputs { _ = condition.wait(for: end - .current) }
        return false
    }

    private func next() -> LeaseStep {
        condition.lock()
        let (step, events) = state.driver.next(at: .current)
        state.view = state.driver.view
        condition.unlock()
        perform(events)
        return step
    }

    /// Hands in what came of a call.
    private func change(_ body: (inout LeaseDriver<LeaseGate>) -> [LeaseDriver<LeaseGate>.Event]) {
        condition.lock()
        let events = body(&state.driver)
        state.view = state.driver.view
        condition.unlock()
        perform(events)
    }

    /// A call has failed; returns whether the connection is to be closed.
    private func failed(_ step: LeaseStep, isHeld: Bool) -> Bool {
        condition.lock()
        let (closes, events) = state.driver.failed(step, isHeld: isHeld, at: .current)
        condition.unlock()
        perform(events)
        return closes
    }

    private func perform(_ events: [LeaseDriver<LeaseGate>.Event]) {
        for event in events {
            switch event {
            case .acquired: condition.broadcast()
            case .lost(let shard, let epoch):
                logger.warning(
                    "the lease is lost: another coordinator runs the loops",
                    metadata: ["shard": "\(shard)", "epoch": "\(epoch)"])
                onLoss(shard)
            case .share(let shard, let grant): onShare(shard, grant)
            case .handOver(let shard, let epoch):
                logger.info("hands a shard over", metadata: ["shard": "\(shard)", "epoch": "\(epoch)"])
                onHandOver(shard, epoch)
            case .probe(let change, let endpoint):
                _ = DetachedThread.start(named: "probe") { [self] in
                    post(.probed(change, isRefused: AddressAnswer.isRefused(at: endpoint)))
                }
            case .damaged(let shards):
                for shard in shards {
                    logger.error(
                        "the rows of a shard are missing or not what was written: no coordinator takes it, the others go on",
                        metadata: ["shard": "\(shard)"])
                }
            }
        }
    }
}
