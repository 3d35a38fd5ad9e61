import Logging
import MobiusCore
import MobiusDriver
import MobiusEngine
import MobiusJournal
import MobiusRuntime
import MobiusTransport
import MobiusWire

/// Keeps a process's leases: makes the calls of the database that a ``LeaseMachine`` wants, on a thread of its own.
///
/// A slow commit or a busy socket thread never delays a renewal, and a slow renewal delays neither.
final class LeaseKeeper: Sendable {
    /// A shard that this process has taken, to be run until its gate is closed.
    struct Term: Sendable {
        let shard: UInt32
        let epoch: UInt64
        /// The newest epoch before it, as far as the database has it.
        let previous: UInt64
        /// The workers that may hold effects, as the owner before knew; `nil` when it did not say.
        let possibleHolders: [Incarnation]?
        let gate: LeaseGate
    }

    private struct State {
        var machine: LeaseMachine
        /// The inputs that wait to be handed to the machine.
        var inputs: [LeaseInput] = []
        /// The shards' demands for the cluster's limits, and whether they are new to the machine.
        var demands: [UInt32: (epoch: UInt64, all: [LimitDemand], isNew: Bool)] = [:]
        /// The shards that were taken and are not run yet.
        var terms: [Term] = []
        /// The shards that are run.
        var running: Set<UInt32> = []
        var gates: [UInt32: LeaseGate] = [:]
        /// The shards whose rows were damaged when they were read last.
        var damaged: Set<UInt32> = []
        /// The shards as they were when they were taken.
        var previous: [UInt32: ShardState] = [:]
        /// The open store, to wake its thread.
        var store: (any LeaseStore)?
        var view: [ShardState] = []
        var isLeaving = false
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
        state = State(machine: LeaseMachine(holder, timing: timing))
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
            if let next = state.terms.firstIndex(where: { !state.running.contains($0.shard) }) {
                let term = state.terms.remove(at: next)
                state.running.insert(term.shard)
                return term
            }
            guard !state.isLeaving else { return nil }
            onWait(nil)
            _ = condition.wait(for: .milliseconds(500))
        }
    }

    /// Waits until everything that ``nextTerm()`` returned has ended.
    func waitForTerms() {
        condition.lock()
        defer { condition.unlock() }
        while !state.running.isEmpty {
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
        let before = state.demands[term.shard].flatMap { $0.epoch == term.epoch ? $0.all : nil }
        state.demands[term.shard] = (term.epoch, demands, true)
        let known = Dictionary((before ?? []).map { ($0.key, $0) }) { $1 }
        guard before == nil || demands.contains(where: { $0.isPressing(since: known[$0.key]) }) else {
            return condition.unlock()
        }
        wake()
    }

    /// A worker has seen an epoch of the shard above that of its term.
    func outranked(_ term: Term, by epoch: UInt64) { post(.outranked(term.shard, epoch: term.epoch, by: epoch)) }

    /// The work of a term has ended: its lease is released, if it is still this process's.
    ///
    /// - Parameter possibleHolders: The workers that hold effects, when no others do.
    func ended(_ term: Term, isFailure: Bool, possibleHolders: [Incarnation]? = nil) {
        // More than a lease's row should have.
        let possibleHolders = possibleHolders.flatMap { $0.count > 1000 ? nil : $0 }
        finish(term, .ended(term.shard, epoch: term.epoch, isFailure: isFailure, possibleHolders: possibleHolders))
    }

    /// The work of a term has ended because no process can run its shard as that is.
    func unfit(_ term: Term) {
        finish(term, .unfit(term.shard, epoch: term.epoch))
    }

    private func finish(_ term: Term, _ input: LeaseInput) {
        term.gate.close()
        condition.lock()
        state.running.remove(term.shard)
        state.demands[term.shard] = nil
        state.inputs.append(input)
        wake()
    }

    // MARK: - For any thread

    /// The time for which the work of this process may go on without a renewal; `nil` while it has no lease.
    var trustLeft: Duration? {
        condition.lock()
        defer { condition.unlock() }
        return state.gates.values.compactMap(\.left).min()
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
        if !state.isLeaving { state.inputs.append(.leave) }
        state.isLeaving = true
        // Nobody will run what was taken just now.
        for term in state.terms { state.inputs.append(.ended(term.shard, epoch: term.epoch, isFailure: false)) }
        state.terms = []
        for gate in state.gates.values { gate.stopWaiting() }
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
        state.inputs.append(input)
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
        handle(.connected)
        var (throttle, heldThrottle) = (LogThrottle(), LogThrottle())
        while true {
            let step = next()
            do throws(JournalError) {
                guard try perform(step, &store) else { break }
            } catch {
                if case .take(let seen, _, _) = step {
                    handle(.took(seen, epoch: nil, asked: .current))
                    if error.code == .held {
                        if let unlogged = heldThrottle.admit(at: .current) {
                            logger.warning(
                                "a shard cannot be taken, and is tried again",
                                metadata: ["shard": "\(seen.shard)", "error": "\(error)", "unlogged": "\(unlogged)"])
                        }
                        continue
                    }
                }
                know(nil)
                store?.close()
                store = nil
                handle(.failed)
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

    /// Makes one call.
    ///
    /// - Returns: whether more follow.
    private func perform(_ step: LeaseStep, _ store: inout (any LeaseStore)?) throws(JournalError) -> Bool {
        let asked = Moment.current
        switch step {
        case .connect:
            store = try open()
            know(store)
            handle(.connected)
        case .read:
            guard let read = try store?.shards() else { break }
            handle(.read(read))
            report(damaged: read)
            onRead(read)
        case .attend(let holder, let isReady):
            if let members = try store?.attend(as: holder, isReady: isReady, for: timing.lease) {
                handle(.attended(members))
            }
        case .resign(let process):
            try store?.resign(process)
            handle(.resigned)
        case .take(let seen, let holder, let floor):
            let epoch = try store?.take(seen, as: holder, for: timing.lease, above: floor)
            condition.lock()
            state.previous[seen.shard] = seen
            condition.unlock()
            handle(.took(seen, epoch: epoch, asked: asked))
        case .renew(let leases):
            for (lease, outcome) in zip(leases, try store?.renew(leases, for: timing.lease) ?? []) {
                handle(.renewed(lease.shard, epoch: lease.epoch, outcome, asked: asked))
            }
        case .release(let shard, let epoch, let possibleHolders):
            try store?.release(shard, epoch: epoch, possibleHolders: possibleHolders)
            handle(.released(shard, epoch: epoch))
        case .readShares(let time):
            if let shares = try store?.limitShares(within: time) { handle(.readShares(shares)) }
        case .claimShares(let shard, let epoch, let claims, let time):
            if let outcomes = try store?.claim(claims, for: shard, epoch: epoch, within: time) {
                handle(.claimedShares(shard, epoch: epoch, outcomes))
            }
        case .wait(let end): try wait(until: end, store)
        case .leave: return false
        }
        return true
    }

    /// Says which shards no process takes, once each time that their rows become damaged.
    private func report(damaged shards: [ShardState]) {
        let damaged = Set(shards.filter(\.isDamaged).map(\.shard))
        condition.lock()
        let new = damaged.subtracting(state.damaged)
        state.damaged = damaged
        condition.unlock()
        for shard in new.sorted() {
            logger.error(
                "the rows of a shard are missing or not what was written: no coordinator takes it, the others go on",
                metadata: ["shard": "\(shard)"])
        }
    }

    private func wait(until end: Moment, _ store: (any LeaseStore)?) throws(JournalError) {
        if let store {
            let time = end - .current
            if time > .zero, try store.wait(for: time) { handle(.woken) }
            return
        }
        condition.lock()
        defer { condition.unlock() }
        // What came since the step was chosen may change it.
        guard state.inputs.isEmpty else { return }
        _ = condition.wait(for: end - .current)
    }

    private func next() -> LeaseStep {
        condition.lock()
        var inputs = state.inputs
        state.inputs = []
        for (shard, demand) in state.demands where demand.isNew {
            inputs.append(.demanded(shard, epoch: demand.epoch, demand.all))
            state.demands[shard]?.isNew = false
        }
        condition.unlock()
        for input in inputs { handle(input) }
        condition.lock()
        defer { condition.unlock() }
        return state.machine.next(at: .current)
    }

    private func handle(_ input: LeaseInput) {
        condition.lock()
        let actions = state.machine.handle(input, at: .current)
        state.view = state.machine.view
        condition.unlock()
        for action in actions { perform(action) }
    }

    private func perform(_ action: LeaseAction) {
        switch action {
        case .start(let shard, let epoch, let end):
            condition.lock()
            let term = Term(
                shard: shard, epoch: epoch, previous: state.previous[shard]?.epoch ?? .max,
                possibleHolders: state.previous[shard]?.possibleHolders,
                gate: LeaseGate(until: end, onWait: { [onWait] in onWait(shard) }))
            guard !state.isLeaving else {
                state.inputs.append(.ended(shard, epoch: epoch, isFailure: false))
                return condition.unlock()
            }
            state.gates[shard] = term.gate
            state.terms.append(term)
            condition.unlock()
            condition.broadcast()
        case .trust(let shard, let end): gate(of: shard)?.trust(until: end)
        case .lost(let shard, let epoch):
            logger.warning(
                "the lease is lost: another coordinator runs the loops",
                metadata: ["shard": "\(shard)", "epoch": "\(epoch)"])
            gate(of: shard)?.close()
            condition.lock()
            state.terms.removeAll { $0.shard == shard }
            condition.unlock()
            onLoss(shard)
        case .share(let shard, _, let grant): onShare(shard, grant)
        case .handOver(let shard, let epoch):
            logger.info("hands a shard over", metadata: ["shard": "\(shard)", "epoch": "\(epoch)"])
            onHandOver(shard, epoch)
        case .probe(let change, let endpoint):
            _ = DetachedThread.start(named: "probe") { [self] in
                post(.probed(change, isRefused: AddressAnswer.isRefused(at: endpoint)))
            }
        }
    }

    private func gate(of shard: UInt32) -> LeaseGate? {
        condition.lock()
        defer { condition.unlock() }
        return state.gates[shard]
    }
}
