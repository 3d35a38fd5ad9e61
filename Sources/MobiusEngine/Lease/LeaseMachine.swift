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
/// Its guarantee: between two takings of a shard at most one process acts by its lease
/// (``LeaseAction/trust(_:until:)``),
/// provided that its clock is at most a quarter slower than that of the process that takes it next. That one goes by its own clock,
/// too: a lease has ended when it was not renewed for as long as it lasts since its last renewal was seen; the database's clock,
/// which may be set, says nothing. A lease is taken before its end only when both signs say that its holder has died: its
/// connection to the database is gone, and its endpoint refuses connections.
public struct LeaseMachine: Sendable {
    private enum Hold: Equatable, Sendable {
        /// It acts by the lease until its owner is told otherwise; the next renewal is due at `renewal`.
        case held(epoch: UInt64, renewal: Moment)
        /// Its work has ended, and the lease is to be released.
        case releasing(epoch: UInt64, possibleHolders: [Incarnation]?)
    }

    /// The state of the enquiry about a holder whose connection is gone.
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
    /// The endpoints at which the held shards are served.
    private var endpoints: [UInt32: (workers: String, clients: String)] = [:]
    /// The shards as they were read last, with what remains of their leases by this process's clock.
    private var shards: [ShardState] = []
    private var sightings: LeaseSightings
    private var refusals: LeaseRefusals
    /// Whether leases were renewed last, so that something else may be due first.
    private var hasRenewed = false
    /// The shards that are taken anew because a later epoch was seen, and when one was last.
    private var outranked: (shards: Set<UInt32>, last: Moment?) = ([], nil)
    private var share: FairShare
    private var limits = LimitSharing()
    /// The time at which the other processes are told of this one; `nil` while they need not know.
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
    private var failures: [UInt32: LeaseFailure] = [:]
    /// The times since which shards have had no owner, as far as was seen.
    private var ownerless: [UInt32: Moment] = [:]
    private var isConnected = false
    /// The time at which it connects, while it is not connected.
    private var connects = Moment(nanoseconds: .min)
    /// The times at which shards are read again and were read last, and whether something has changed since.
    private var reads = (at: Moment(nanoseconds: .min), last: Moment(nanoseconds: .min), isForced: true)
    private var failedConnections = 0
    private var isLeaving = false

    /// Makes the machine of a process.
    public init(_ holder: LeaseHolder, timing: LeaseTiming = LeaseTiming()) {
        self.holder = holder
        self.timing = timing
        share = FairShare(holder.process)
        sightings = LeaseSightings(timing)
        refusals = LeaseRefusals(timing)
    }

    /// The epoch under which it runs a shard; `nil` when it does not.
    public func epoch(of shard: UInt32) -> UInt64? {
        guard case .held(let epoch, _) = holds[shard] else { return nil }
        return epoch
    }

    /// The shards as they were read last, with what remained of their leases then, by this process's clock.
    public var view: [ShardState] { shards }

    // MARK: - What to do

    /// The call that its owner makes next.
    ///
    /// Held shards come first, then new ones: nothing is taken by a view that something has changed since. However slow
    /// the database is, every other call is about something new, unless the trust of a lease would end.
    public func next(at now: Moment) -> LeaseStep {
        let resigns = isLeaving && mayBeKnown
        if isLeaving, holds.isEmpty, !resigns || !isConnected { return .leave }
        guard isConnected else { return connects <= now ? .connect : .wait(until: connects) }
        // Before the shards are free, so that the others know who may take them.
        if resigns { return .resign(holder.process) }
        let call = limits.next(at: now)
        // What becomes due during the call about limits is renewed before.
        let soon = call == nil ? now : now + timing.longestLimitCall
        let renewals = renewals(by: soon)
        let other = other(call, at: now)
        if let first = renewals.first, other == nil || !hasRenewed || first.due + timing.renewal <= soon {
            return .renew(renewals.map { LeaseRenewal($0.shard, $0.epoch, published($0.shard)) })
        }
        return other ?? .wait(until: nextDeadline)
    }

    /// The leases to renew, the most urgent one first: when one is due, those that are due soon go with it.
    private func renewals(by moment: Moment) -> [(shard: UInt32, epoch: UInt64, due: Moment)] {
        let held = holds.compactMap { shard, hold -> (shard: UInt32, epoch: UInt64, due: Moment)? in
            guard case .held(let epoch, let renewal) = hold, renewal <= moment + timing.renewal / 2 else { return nil }
            return (shard, epoch, renewal)
        }
        guard held.contains(where: { $0.due <= moment }) else { return [] }
        return held.sorted { ($0.due, $0.shard) < ($1.due, $1.shard) }
    }

    /// The call beside renewals that has been due for longest.
    private func other(_ call: LimitSharing.Call?, at now: Moment) -> LeaseStep? {
        let released = holds.compactMap { shard, hold -> (shard: UInt32, step: LeaseStep)? in
            guard case .releasing(let epoch, let possibleHolders) = hold else { return nil }
            return (shard, .release(shard, epoch, possibleHolders: possibleHolders))
        }
        if let first = released.min(by: { $0.shard < $1.shard }) { return first.step }
        var due: [(since: Moment, step: LeaseStep)] = []
        if let attends, attends <= now, !isLeaving { due.append((attends, .attend(holder, isReady: isReady(at: now)))) }
        if reads.at <= now { due.append((reads.at, .read)) }
        if !isLeaving, !reads.isForced, let free = nextFree(at: now) {
            due.append((reads.last, .acquire(free, published(free.shard), above: sightings.floor(of: free))))
        }
        if let call { due.append((limits.dueSince ?? now, call.step(within: timing.longestLimitCall))) }
        return due.min { $0.since < $1.since }?.step
    }

    /// The shard to take next: what was tried least often comes first, so that nothing waits behind one that cannot be taken.
    private func nextFree(at now: Moment) -> ShardState? {
        let free = shards.filter { isFree($0, at: now) }
        return free.min { (refusals.tries($0.shard), $0.shard) < (refusals.tries($1.shard), $1.shard) }
    }

    private var nextDeadline: Moment {
        let first = min(isLeaving ? reads.at : min(reads.at, attends ?? reads.at), limits.due ?? reads.at)
        return holds.values.reduce(first) { deadline, hold in
            guard case .held(_, let renewal) = hold else { return deadline }
            return min(deadline, renewal)
        }
    }

    /// Whether a shard may be taken, as far as is known.
    private func isFree(_ shard: ShardState, at now: Moment) -> Bool {
        guard holds[shard.shard] == nil, !shard.isDamaged, refusals.allow(shard, at: now),
            failures[shard.shard].map({ $0.until <= now }) ?? true
        else { return false }
        // It was this process's a moment ago, and is to be again.
        if outranked.shards.contains(shard.shard), shard.lease?.holder.process == holder.process { return true }
        // One shard alone is taken before the others are known.
        guard
            shards.count < 2 && share.members == nil
                || share.admits(
                    shard, holding: holds.count, of: shards, isLeft: left(at: now).contains(shard.shard),
                    dead: dead(at: now))
        else { return false }
        guard let lease = shard.lease else { return true }
        // An own lease that is not held comes of a taking whose outcome was unknown.
        if sightings.hasEnded(shard.shard, at: now) || lease.holder.process == holder.process { return true }
        guard !lease.isConnected, let probe = probes[shard.shard], probe.change == shard.change else { return false }
        return probe.isRefused == true && sightings.knowsTheDead(at: now)
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
        note(input)
        switch input {
        case .connected:
            if failedConnections > 0 { sightings.beginAnew(at: now) }
            (isConnected, failedConnections) = (true, 0)
            readAgain(at: now)
            ownerless = [:]
            // A lease may have been taken meanwhile.
            for case (let shard, .held(let epoch, _)) in holds { holds[shard] = .held(epoch: epoch, renewal: now) }
        case .failed:
            isConnected = false
            limits.failed(at: now)
            connects = now + min(timing.lease / 2, timing.poll * (1 << min(failedConnections, 4)))
            failedConnections += 1
        case .woken:
            readAgain(at: now)
            // Who released a lease may have resigned before.
            if shards.count > 1 { attends = now }
        case .read(let read):
            took(read, at: now, &actions)
            handOver(at: now, &actions)
        case .attended(let members):
            deaths = deaths.filter { now < $0.value }
            (attends, mayBeKnown) = (now + timing.renewal, true)
            // What is theirs was not known.
            if shards.count > 1, members != share.members { readAgain(at: now) }
            share.members = members
        case .resigned: mayBeKnown = false
        case .acquired(let seen, let epoch, let asked):
            if let epoch {
                taken(seen.shard, epoch, asked: asked, &actions)
            } else {
                refusals.add(seen, at: now)
            }
            readAgain(at: now)
        case .renewed(let shard, let epoch, let outcome, let asked):
            guard case .held(epoch, let renewal) = holds[shard] else { break }
            switch outcome {
            case .lost:
                drop(shard, &actions)
                readAgain(at: now)
            case .delayed: holds[shard] = .held(epoch: epoch, renewal: max(renewal, now + timing.poll))
            case .kept:
                // One that became due since publishes what this one did not.
                let isDue = renewal > asked && renewal <= now
                holds[shard] = .held(epoch: epoch, renewal: isDue ? renewal : asked + timing.renewal)
                actions.append(.trust(shard, until: asked + timing.trust))
            }
        case .outranked(let shard, let epoch, let higher):
            // A worker says it, which may be mistaken, or lie: not too often, and nothing after which there are no epochs.
            let isRecent = outranked.last.map { now < $0 + timing.lease * 16 } ?? false
            guard case .held(epoch, _) = holds[shard], epoch < higher, higher < 1 << 62, !isRecent else { break }
            sightings.note(higher, of: shard)
            (outranked.last, _) = (now, outranked.shards.insert(shard))
            actions.append(.handOver(shard, epoch: epoch))
        case .released(let shard, let epoch):
            if case .releasing(epoch, _) = holds[shard] { end(shard) }
            readAgain(at: now)
        case .demanded(let shard, let epoch, let demands): limits.demand(shard, epoch: epoch, demands, at: now)
        case .readShares(let read): actions += limits.took(read, at: now)
        case .claimedShares(let shard, let epoch, let outcomes):
            actions += limits.claimed(shard, epoch: epoch, outcomes, at: now)
        case .serves(let shard, let epoch, let workers, let clients):
            guard case .held(epoch, _) = holds[shard] else { break }
            endpoints[shard] = (workers, clients)
            holds[shard] = .held(epoch: epoch, renewal: now)
            // So that this process's own front door knows them as soon as they are published.
            readAgain(at: now)
        case .ended(let shard, let epoch, let isFailure, let possibleHolders):
            if isFailure { fail(shard, isOwn: true, at: now) }
            if !isFailure, !isLeaving, outranked.shards.contains(shard), self.epoch(of: shard) == epoch {
                // It is not released, so that the one who knows by which epoch it was outranked takes it.
                end(shard)
                readAgain(at: now)
                break
            }
            guard release(shard, epoch, possibleHolders: possibleHolders) else { break }
            // So that the others know at once that this process gets no more.
            if isFailure, attends != nil { attends = now }
        case .unfit(let shard, let epoch):
            fail(shard, isOwn: false, at: now)
            release(shard, epoch, possibleHolders: nil)
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

    /// Something has changed since the shards were read.
    private mutating func readAgain(at now: Moment) { (reads.at, reads.isForced) = (now, true) }

    /// Notes whether the database was asked for something else than renewals.
    private mutating func note(_ input: LeaseInput) {
        switch input {
        case .renewed: hasRenewed = true
        case .connected, .failed, .read, .attended, .resigned, .acquired, .released, .serves, .readShares,
            .claimedShares:
            hasRenewed = false
        case .woken, .ended, .unfit, .outranked, .demanded, .probed, .leave: break
        }
    }

    private mutating func took(_ all: [ShardState], at now: Moment, _ actions: inout [LeaseAction]) {
        let read = sightings.see(all, at: now)
        shards = read
        reads = (now + timing.poll, now, false)
        attends = attends ?? (read.count > 1 ? now : now + timing.renewal)
        let free = read.filter { !$0.isDamaged && $0.lease.map { $0.remaining <= .zero } ?? true }
        ownerless = Dictionary(free.map { ($0.shard, ownerless[$0.shard] ?? now) }) { $1 }
        for shard in read where failures[shard.shard]?.isOwn == false && isServedElsewhere(shard) {
            // Another process can run it, so this one may be the reason, and gets no more for a while.
            failures[shard.shard]?.isOwn = true
            failures[shard.shard]?.ranElsewhere = true
            attends = now
        }
        for shard in free where failures[shard.shard]?.ranElsewhere == true { failures[shard.shard]?.endPause(at: now) }
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
        outranked.shards.remove(shard)
        refusals.remove(shard)
        sightings.note(epoch, of: shard)
        guard !isLeaving else { return holds[shard] = .releasing(epoch: epoch, possibleHolders: nil) }
        holds[shard] = .held(epoch: epoch, renewal: asked + timing.renewal)
        limits.begin(shard, epoch: epoch)
        actions.append(.start(shard, epoch: epoch, until: asked + timing.trust))
    }

    private mutating func drop(_ shard: UInt32, _ actions: inout [LeaseAction]) {
        guard let epoch = epoch(of: shard) else { return }
        end(shard)
        outranked.shards.remove(shard)
        actions.append(.lost(shard, epoch: epoch))
    }

    /// Whether it held the shard, and gives it back now.
    @discardableResult
    private mutating func release(_ shard: UInt32, _ epoch: UInt64, possibleHolders: [Incarnation]?) -> Bool {
        guard case .held(epoch, _) = holds[shard] else { return false }
        endpoints[shard] = nil
        outranked.shards.remove(shard)
        limits.end(shard)
        holds[shard] = .releasing(epoch: epoch, possibleHolders: possibleHolders)
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
        failures[shard] = LeaseFailure(until: now + timing.poll * (2 << min(count, 6)), count: count, isOwn: isOwn)
    }
}
