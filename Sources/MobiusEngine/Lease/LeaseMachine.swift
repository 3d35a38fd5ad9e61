public import MobiusJournal
import MobiusWire

/// Decides which shards a process runs: when it takes, renews, gives up and releases their leases.
///
/// It is pure: its owner asks for the ``next(at:)`` call to make of the database, makes it, and hands in what came of it.
/// Moments are of a clock that counts the suspensions of the host.
///
/// Of several shards it takes its `FairShare`, and hands over what it has above that, one at a time. One shard alone is
/// run by whichever process is first.
///
/// What it guarantees: between two takings of a shard at most one process acts by its lease (``LeaseAction/trust(_:until:)``),
/// provided that its clock is at most a quarter slower than the database's. A lease is taken before its end only when
/// both signs say that its holder has died: its connection to the database is gone, and its endpoint refuses connections.
public struct LeaseMachine: Sendable {
    private enum Hold: Equatable, Sendable {
        /// It acts by the lease until its owner is told otherwise; the next renewal is due at `renewal`.
        case held(epoch: UInt64, renewal: Moment)
        /// Its work has ended, and the lease is to be released.
        case releasing(epoch: UInt64, heirs: [Incarnation]?)
    }

    /// What is known of a holder whose connection is gone.
    private struct Probe: Sendable {
        let number: UInt64
        /// The taking or renewal that it is about: a later one is a sign of life.
        let change: UInt64
        /// Whether the holder's endpoint refuses connections; `nil` while nothing is known.
        var isRefused: Bool?
    }

    private let timing: LeaseTiming
    private let holder: LeaseHolder
    private var holds: [UInt32: Hold] = [:]
    /// Where the held shards are served.
    private var endpoints: [UInt32: (workers: String, clients: String)] = [:]
    /// The shards as they were read last.
    private var shards: [ShardState] = []
    private var share: FairShare
    private var limits = LimitSharing()
    /// When the other processes are told of this one; `nil` while they need not know.
    private var attends: Moment?
    /// Whether they may know of this one.
    private var mayBeKnown = false
    /// The processes of which both signs said that they have died, and until when they count so: until the others have
    /// forgotten them.
    private var deaths: [Incarnation: Moment] = [:]
    /// The shard that is being handed over.
    private var handsOver: UInt32?
    private var probes: [UInt32: Probe] = [:]
    private var lastProbe: UInt64 = 0
    /// Until when a shard is left to others, how often in a row its work failed here, and whether this process may be the reason.
    private var failures: [UInt32: (until: Moment, count: Int, isOwn: Bool)] = [:]
    /// Since when shards have had no owner, as far as was seen.
    private var ownerless: [UInt32: Moment] = [:]
    private var isConnected = false
    /// When it connects, while it is not connected.
    private var connects = Moment(nanoseconds: .min)
    /// When the shards are read again.
    private var reads = Moment(nanoseconds: .min)
    private var failedConnections = 0
    private var isLeaving = false

    /// Makes the machine of a process.
    public init(_ holder: LeaseHolder, timing: LeaseTiming = LeaseTiming()) {
        self.holder = holder
        self.timing = timing
        share = FairShare(holder.process)
    }

    /// The epoch under which it runs a shard; `nil` when it does not.
    public func epoch(of shard: UInt32) -> UInt64? {
        guard case .held(let epoch, _) = holds[shard] else { return nil }
        return epoch
    }

    /// The shards and their leases as they were read last.
    public var view: [ShardState] { shards }

    // MARK: - What to do

    /// The call that its owner makes next.
    ///
    /// What is held comes first, then what is new: nothing is taken by a view that something has changed since.
    public func next(at now: Moment) -> LeaseStep {
        let resigns = isLeaving && mayBeKnown
        if isLeaving, holds.isEmpty, !resigns || !isConnected { return .leave }
        guard isConnected else { return connects <= now ? .connect : .wait(until: connects) }
        // Before the shards are free, so that the others know who may take them.
        if resigns { return .resign(holder.process) }
        let call = limits.next(at: now)
        // What becomes due during the call about limits is renewed before.
        let soon = call == nil ? now : now + timing.longestLimitCall
        for (shard, hold) in holds.sorted(by: { $0.key < $1.key }) {
            switch hold {
            case .held(let epoch, let renewal) where renewal <= soon: return .renew(shard, epoch, published(shard))
            case .releasing(let epoch, let heirs): return .release(shard, epoch, heirs: heirs)
            case .held: break
            }
        }
        if let attends, attends <= now, !isLeaving { return .attend(holder, isReady: isReady(at: now)) }
        if reads <= now { return .read }
        if !isLeaving, let free = shards.first(where: { isFree($0, at: now) }) {
            return .take(free, published(free.shard))
        }
        switch call {
        case .read: return .readShares(within: timing.longestLimitCall)
        case .claim(let shard, let epoch, let claims):
            return .claimShares(shard, epoch, claims, within: timing.longestLimitCall)
        case nil: return .wait(until: nextDeadline)
        }
    }

    private var nextDeadline: Moment {
        let first = min(isLeaving ? reads : min(reads, attends ?? reads), limits.due ?? reads)
        return holds.values.reduce(first) { deadline, hold in
            guard case .held(_, let renewal) = hold else { return deadline }
            return min(deadline, renewal)
        }
    }

    /// Whether a shard may be taken, as far as is known.
    private func isFree(_ shard: ShardState, at now: Moment) -> Bool {
        guard holds[shard.shard] == nil, failures[shard.shard].map({ $0.until <= now }) ?? true else { return false }
        // One shard alone is taken before the others are known.
        guard
            shards.count < 2 && share.members == nil
                || share.admits(
                    shard, holding: holds.count, of: shards, isLeft: left(at: now).contains(shard.shard),
                    dead: dead(at: now))
        else { return false }
        guard let lease = shard.lease else { return true }
        // An own lease that is not held comes of a taking whose outcome was unknown.
        if lease.remaining <= .zero || lease.holder.process == holder.process { return true }
        guard !lease.isConnected, let probe = probes[shard.shard], probe.change == shard.change else { return false }
        return probe.isRefused == true
    }

    /// Whether it may get more shards, as far as its own work tells.
    private func isReady(at now: Moment) -> Bool { failures.values.allSatisfy { !$0.isOwn || $0.until <= now } }

    /// The shards that nobody has taken for as long as a lease lasts.
    private func left(at now: Moment) -> Set<UInt32> {
        Set(ownerless.filter { $0.value + timing.lease <= now }.keys)
    }

    /// The processes that count as dead now.
    private func dead(at now: Moment) -> Set<Incarnation> { Set(deaths.filter { now < $0.value }.keys) }

    private func published(_ shard: UInt32) -> LeaseHolder {
        var published = holder
        if let endpoints = endpoints[shard] { (published.workers, published.clients) = endpoints }
        return published
    }

    // MARK: - What came of it

    /// Takes the outcome of a call, or a request of its owner.
    public mutating func handle(_ input: LeaseInput, at now: Moment) -> [LeaseAction] {
        var actions: [LeaseAction] = []
        switch input {
        case .connected:
            (isConnected, failedConnections, reads) = (true, 0, now)
            ownerless = [:]
            // A lease may have been taken meanwhile.
            for case (let shard, .held(let epoch, _)) in holds { holds[shard] = .held(epoch: epoch, renewal: now) }
        case .failed:
            isConnected = false
            limits.failed(at: now)
            connects = now + min(timing.lease / 2, timing.poll * (1 << min(failedConnections, 4)))
            failedConnections += 1
        case .woken:
            reads = now
            // Who released a lease may have resigned before.
            if shards.count > 1 { attends = now }
        case .read(let read):
            took(read, at: now, &actions)
            handOver(at: now, &actions)
        case .attended(let members):
            share.members = members
            deaths = deaths.filter { now < $0.value }
            (attends, mayBeKnown) = (now + timing.renewal, true)
            // What is theirs was not known.
            if shards.count > 1 { reads = now }
        case .resigned: mayBeKnown = false
        case .took(let seen, let epoch, let asked):
            if let epoch { taken(seen.shard, epoch, asked: asked, &actions) }
            reads = now
        case .renewed(let shard, let epoch, let isKept, let asked):
            guard case .held(epoch, let renewal) = holds[shard] else { break }
            guard isKept else {
                drop(shard, &actions)
                reads = now
                break
            }
            // One that became due since publishes what this one did not.
            let isDue = renewal > asked && renewal <= now
            holds[shard] = .held(epoch: epoch, renewal: isDue ? renewal : asked + timing.renewal)
            actions.append(.trust(shard, until: asked + timing.trust))
        case .released(let shard, let epoch):
            if case .releasing(epoch, _) = holds[shard] { end(shard) }
            reads = now
        case .demanded(let shard, let epoch, let demands): limits.demand(shard, epoch: epoch, demands, at: now)
        case .readShares(let read): actions += limits.took(read, at: now)
        case .claimedShares(let shard, let epoch, let outcomes):
            actions += limits.claimed(shard, epoch: epoch, outcomes, at: now)
        case .serves(let shard, let epoch, let workers, let clients):
            guard case .held(epoch, _) = holds[shard] else { break }
            endpoints[shard] = (workers, clients)
            holds[shard] = .held(epoch: epoch, renewal: now)
            // So that this process's own front door knows them as soon as they are published.
            reads = now
        case .ended(let shard, let epoch, let isFailure, let heirs):
            if isFailure { fail(shard, isOwn: true, at: now) }
            guard release(shard, epoch, heirs: heirs) else { break }
            // So that the others know at once that this process gets no more.
            if isFailure, attends != nil { attends = now }
        case .unfit(let shard, let epoch):
            fail(shard, isOwn: false, at: now)
            release(shard, epoch, heirs: nil)
        case .probed(let number, let isRefused):
            for (shard, probe) in probes where probe.number == number {
                probes[shard]?.isRefused = isRefused
                guard isRefused, let state = shards.first(where: { $0.shard == shard }), state.change == probe.change,
                    let lease = state.lease
                else { continue }
                deaths[lease.holder.process] = now + timing.lease
            }
        case .leave: isLeaving = true
        }
        return actions
    }

    private mutating func took(_ read: [ShardState], at now: Moment, _ actions: inout [LeaseAction]) {
        shards = read
        reads = now + timing.poll
        attends = attends ?? (read.count > 1 ? now : now + timing.renewal)
        let free = read.filter { $0.lease.map { $0.remaining <= .zero } ?? true }
        ownerless = Dictionary(free.map { ($0.shard, ownerless[$0.shard] ?? now) }) { $1 }
        for shard in read where failures[shard.shard]?.isOwn == false && isServedElsewhere(shard) {
            // Another process can run it, so this one may be the reason, and gets no more for a while.
            failures[shard.shard]?.isOwn = true
            attends = now
        }
        var known: [UInt32: Probe] = [:]
        for shard in read {
            if let epoch = epoch(of: shard.shard), shard.epoch > epoch { drop(shard.shard, &actions) }
            guard let lease = shard.lease, mayHaveDied(lease), holds[shard.shard] == nil, !isLeaving else { continue }
            if let probe = probes[shard.shard], probe.change == shard.change, probe.isRefused != false {
                known[shard.shard] = probe
            } else {
                // One that was not refused is asked again: its process may have died since.
                lastProbe &+= 1
                known[shard.shard] = Probe(number: lastProbe, change: shard.change)
                actions.append(.probe(lastProbe, endpoint: lease.holder.workers))
            }
        }
        probes = known
    }

    private func isServedElsewhere(_ shard: ShardState) -> Bool {
        shard.lease.map { $0.remaining > .zero && !$0.holder.workers.isEmpty && $0.holder.process != holder.process }
            ?? false
    }

    /// Whether the first sign says that another process died, whose endpoint may give the second.
    private func mayHaveDied(_ lease: Lease) -> Bool {
        !lease.isConnected && lease.remaining > .zero && !lease.holder.workers.isEmpty
            && lease.holder.process != holder.process
    }

    private mutating func taken(_ shard: UInt32, _ epoch: UInt64, asked: Moment, _ actions: inout [LeaseAction]) {
        endpoints[shard] = nil
        guard !isLeaving else { return holds[shard] = .releasing(epoch: epoch, heirs: nil) }
        holds[shard] = .held(epoch: epoch, renewal: asked + timing.renewal)
        limits.begin(shard, epoch: epoch)
        actions.append(.start(shard, epoch: epoch, until: asked + timing.trust))
    }

    private mutating func drop(_ shard: UInt32, _ actions: inout [LeaseAction]) {
        guard let epoch = epoch(of: shard) else { return }
        end(shard)
        actions.append(.lost(shard, epoch: epoch))
    }

    /// Whether it held the shard, and gives it back now.
    @discardableResult
    private mutating func release(_ shard: UInt32, _ epoch: UInt64, heirs: [Incarnation]?) -> Bool {
        guard case .held(epoch, _) = holds[shard] else { return false }
        endpoints[shard] = nil
        limits.end(shard)
        holds[shard] = .releasing(epoch: epoch, heirs: heirs)
        return true
    }

    private mutating func end(_ shard: UInt32) {
        holds[shard] = nil
        endpoints[shard] = nil
        limits.end(shard)
        if handsOver == shard { handsOver = nil }
    }

    /// Hands over one shard that another process should have.
    private mutating func handOver(at now: Moment, _ actions: inout [LeaseAction]) {
        guard handsOver == nil, !isLeaving, isReady(at: now) else { return }
        let held = holds.compactMap { shard, hold in if case .held = hold { shard } else { nil } }
        guard let shard = share.excess(of: held, among: shards, left: left(at: now), dead: dead(at: now)),
            let epoch = epoch(of: shard)
        else { return }
        handsOver = shard
        actions.append(.handOver(shard, epoch: epoch))
    }

    /// Leaves a shard to others for a while: at first for as long as they need to see that it is free, then for longer.
    private mutating func fail(_ shard: UInt32, isOwn: Bool, at now: Moment) {
        let count = (failures[shard].map { $0.until + timing.lease * 8 > now ? $0.count : 0 } ?? 0) + 1
        failures[shard] = (now + timing.poll * (2 << min(count, 6)), count, isOwn)
    }
}
