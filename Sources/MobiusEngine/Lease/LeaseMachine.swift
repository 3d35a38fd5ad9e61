public import MobiusJournal
import MobiusWire

/// Decides which shards a process runs: when it takes, renews, gives up and releases their leases.
///
/// It is pure: its owner asks for the ``next(at:)`` call to make of the database, makes it, and hands in what came of it.
/// Moments are of a clock that counts the suspensions of the host.
///
/// What it guarantees: between two takings of a shard at most one process acts by its lease (``LeaseAction/trust(_:until:)``),
/// provided that its clock is at most a quarter slower than the database's. A lease is taken before its end only when
/// both signs say that its holder has died: its connection to the database is gone, and its endpoint refuses connections.
public struct LeaseMachine: Sendable {
    private enum Hold: Equatable, Sendable {
        /// It acts by the lease until `trusted`; the next renewal is due at `renewal`.
        case held(epoch: UInt64, trusted: Moment, renewal: Moment)
        /// Its work has ended, and the lease is to be released.
        case releasing(epoch: UInt64)
    }

    private let timing: LeaseTiming
    private var holder: LeaseHolder
    private var holds: [UInt32: Hold] = [:]
    private var endpoints: [UInt32: (workers: String, clients: String)] = [:]
    /// The shards as they were read last.
    private var shards: [ShardState] = []
    /// What is known of holders whose connection is gone: whether their endpoint refuses connections.
    private var probes: [UInt64: Bool] = [:]
    /// Until when a shard is left to others, and how often in a row its work has failed here.
    private var failures: [UInt32: (until: Moment, count: Int)] = [:]
    private var isConnected = false
    private var connects = Moment(nanoseconds: .min)
    private var reads = Moment(nanoseconds: .min)
    private var failedConnections = 0
    private var isLeaving = false

    /// Makes the machine of a process.
    public init(_ holder: LeaseHolder, timing: LeaseTiming = LeaseTiming()) {
        self.holder = holder
        self.timing = timing
    }

    /// The epoch under which it runs a shard; `nil` when it does not.
    public func epoch(of shard: UInt32) -> UInt64? {
        guard case .held(let epoch, _, _) = holds[shard] else { return nil }
        return epoch
    }

    /// The shards and their leases as they were read last.
    public var view: [ShardState] { shards }

    // MARK: - What to do

    /// The call that its owner makes next.
    public func next(at now: Moment) -> LeaseStep {
        guard isConnected else { return connects <= now ? .connect : .wait(until: connects) }
        for (shard, hold) in holds.sorted(by: { $0.key < $1.key }) {
            switch hold {
            case .held(let epoch, _, let renewal) where renewal <= now: return .renew(shard, epoch, current(shard))
            case .releasing(let epoch): return .release(shard, epoch)
            case .held: break
            }
        }
        if isLeaving, holds.isEmpty { return .leave }
        if !isLeaving, let shard = shards.first(where: { isFree($0, at: now) }) { return .take(shard, current(shard.shard)) }
        return reads <= now ? .read : .wait(until: nextDeadline(after: now))
    }

    private func nextDeadline(after now: Moment) -> Moment {
        var deadline = reads
        for hold in holds.values {
            guard case .held(_, let trusted, let renewal) = hold else { continue }
            deadline = min(deadline, renewal, trusted > now ? trusted : renewal)
        }
        return deadline
    }

    /// Whether a shard may be taken, as far as is known.
    private func isFree(_ shard: ShardState, at now: Moment) -> Bool {
        guard holds[shard.shard] == nil, failures[shard.shard].map({ $0.until <= now }) ?? true else { return false }
        guard let lease = shard.lease else { return true }
        if lease.remaining <= .zero || lease.holder.process == holder.process { return true }
        return !lease.isConnected && probes[shard.change] == true
    }

    private func current(_ shard: UInt32) -> LeaseHolder {
        var current = holder
        if let endpoints = endpoints[shard] { (current.workers, current.clients) = endpoints }
        return current
    }

    // MARK: - What came of it

    /// Takes the outcome of a call, or a request of its owner.
    public mutating func handle(_ input: LeaseInput, at now: Moment) -> [LeaseAction] {
        var actions: [LeaseAction] = []
        switch input {
        case .connected:
            (isConnected, failedConnections, reads) = (true, 0, now)
            // A lease may have been taken meanwhile.
            for case (let shard, .held(let epoch, let trusted, _)) in holds {
                holds[shard] = .held(epoch: epoch, trusted: trusted, renewal: now)
            }
        case .failed:
            isConnected = false
            connects = now + min(timing.lease / 2, timing.poll * (1 << min(failedConnections, 4)))
            failedConnections += 1
        case .read(let read): took(read, at: now, &actions)
        case .took(let seen, let epoch, let asked): taken(seen, epoch, asked: asked, &actions)
            reads = now
        case .renewed(let shard, let epoch, let isKept, let asked):
            guard case .held(epoch, _, _) = holds[shard] else { break }
            if isKept {
                let trusted = asked + timing.trust
                holds[shard] = .held(epoch: epoch, trusted: trusted, renewal: asked + timing.renewal)
                actions.append(.trust(shard, until: trusted))
            } else {
                drop(shard, &actions)
                reads = now
            }
        case .released(let shard, let epoch):
            if case .releasing(epoch) = holds[shard] { holds[shard] = nil }
            reads = now
        case .serves(let shard, let epoch, let workers, let clients):
            guard case .held(epoch, let trusted, _) = holds[shard] else { break }
            endpoints[shard] = (workers, clients)
            holds[shard] = .held(epoch: epoch, trusted: trusted, renewal: now)
        case .ended(let shard, let epoch, let isFailure):
            endpoints[shard] = nil
            if isFailure { fail(shard, at: now) }
            if case .held(epoch, _, _) = holds[shard] { holds[shard] = .releasing(epoch: epoch) }
        case .probed(let change, let isRefused): if probes[change] != nil { probes[change] = isRefused }
        case .leave: isLeaving = true
        }
        return actions
    }

    private mutating func took(_ read: [ShardState], at now: Moment, _ actions: inout [LeaseAction]) {
        shards = read
        reads = now + timing.poll
        for shard in read {
            if case .held(let epoch, _, _) = holds[shard.shard], shard.epoch > epoch { drop(shard.shard, &actions) }
        }
        let silent = read.filter { $0.lease.map { !$0.isConnected && $0.remaining > .zero } ?? false }
        probes = probes.filter { known in silent.contains { $0.change == known.key } }
        for shard in silent where holds[shard.shard] == nil && !isLeaving {
            guard let holder = shard.lease?.holder, !holder.workers.isEmpty, probes[shard.change] != true else { continue }
            probes[shard.change] = false
            actions.append(.probe(shard.change, endpoint: holder.workers))
        }
    }

    private mutating func taken(
        _ seen: ShardState, _ epoch: UInt64?, asked: Moment, _ actions: inout [LeaseAction]
    ) {
        // It is no longer what was seen: read before the next attempt.
        shards.removeAll { $0.shard == seen.shard }
        guard let epoch else { return }
        let trusted = asked + timing.trust
        holds[seen.shard] = .held(epoch: epoch, trusted: trusted, renewal: asked + timing.renewal)
        actions.append(.start(seen.shard, epoch: epoch, until: trusted))
    }

    private mutating func drop(_ shard: UInt32, _ actions: inout [LeaseAction]) {
        guard let epoch = epoch(of: shard) else { return }
        holds[shard] = nil
        endpoints[shard] = nil
        actions.append(.lost(shard, epoch: epoch))
    }

    /// Leaves a shard to others for a while: at first for as long as they need to see that it is free, then for longer.
    private mutating func fail(_ shard: UInt32, at now: Moment) {
        let count = (failures[shard].map { $0.until + timing.lease * 8 > now ? $0.count : 0 } ?? 0) + 1
        failures[shard] = (now + timing.poll * (2 << min(count, 6)), count)
    }
}
