package import MobiusEngine
package import MobiusJournal
package import MobiusTestKit

/// Shards that share a limit through a database, over calls that are slow, or lost before or after they took effect, and
/// with owners that are replaced.
package struct LimitWorld {
    /// A shard and its owner.
    private struct Shard {
        var epoch: UInt64 = 0
        var sharing = LimitSharing()
        var state: LimitState
        /// When the effects that run end.
        var running: [Moment] = []
        var waiting = 0
        /// What the machine said last.
        var said: [LimitDemand]?
        /// What is on its way to the machine, and to its owner.
        var grants: [(at: Moment, LimitGrant)] = []
        var demands: [(at: Moment, [LimitDemand])] = []
        /// The answer that the owner waits for; a missing one is a connection that was lost.
        var answer: (at: Moment, LeaseInput?)?
        var begun = 0
        /// What the machine could say now.
        var now: [LimitDemand] = []
    }

    /// A claim that the database takes later, or never.
    private struct Claim {
        let at: Moment
        let shard: Int
        let epoch: UInt64
        let claims: [LimitClaim]
    }

    private struct Row {
        var units = 0
        var wanted = 0
        var change: Int64 = 0
        var changed: Moment
        var reduced: Moment?
        var claimed: Moment
    }

    package let limit: EffectLimit
    private var shards: [Shard]
    private var rows: [LimitKey: [Int: Row]] = [:]
    private var late: [Claim] = []
    private var chance: Chance
    private var now = Moment(nanoseconds: 0)
    /// Whether calls are lost and owners replaced.
    package var isFaulty = true
    /// Whether effects come and go; otherwise all shards have more than they can start.
    package var isBusy: Bool
    private var faults: [String] = []
    /// The tokens of one bucket for all, which what takes over fills up to its share.
    private var tokens: Double

    package init(seed: UInt64) {
        var draw = Chance(seed: seed &+ 0x11417)
        let rate = EffectLimit.Rate(draw.number(1...20), per: draw.milliseconds(200...4000))
        let concurrency = draw.number(1...12)
        let limit = draw.pick([
            EffectLimit("few", concurrency: concurrency, scope: .cluster),
            EffectLimit("few", rate: rate, scope: .cluster),
            EffectLimit("few", concurrency: concurrency, rate: rate, scope: .cluster),
        ])
        let count = draw.number(1...6)
        isBusy = draw.percent(50)
        self.limit = limit
        chance = draw
        tokens = Double(limit.rate?.count ?? 0)
        shards = (0..<count).map { _ in Shard(state: LimitState(limit, isShared: true)) }
        for shard in 0..<count { takeOver(shard) }
    }

    /// How many effects each shard has begun.
    package var begun: [Int] { shards.map(\.begun) }
    /// The units of each shard.
    package func units(_ resource: LimitResource) -> [Int] {
        shards.indices.map { rows[LimitKey(limit.name, resource)]?[$0]?.units ?? 0 }
    }

    private mutating func happens(_ one: Int) -> Bool { chance.number(1...one) == 1 }
    private mutating func soon(_ milliseconds: ClosedRange<Int>) -> Moment {
        now + .milliseconds(chance.number(milliseconds))
    }

    /// Another process runs the shard: what runs goes on, and its machine has no units yet.
    private mutating func takeOver(_ shard: Int) {
        var next = Shard(epoch: shards[shard].epoch + 1, state: LimitState(limit, isShared: true))
        next.running = shards[shard].running
        next.begun = shards[shard].begun
        next.state.running = next.running.count
        next.sharing.begin(UInt32(shard), epoch: next.epoch)
        // What waits is found again.
        next.waiting = shards[shard].waiting
        next.state.count(waiting: next.waiting, in: "pool")
        tokens += Double(rows[LimitKey(limit.name, .rate)]?[shard]?.units ?? 0)
        shards[shard] = next
    }

    /// What goes wrong in ten seconds of a world, which every eighth seed has: it costs a third of the seed's other run.
    package static func violations(seed: UInt64) -> [Violation] {
        guard seed % 8 == 1 else { return [] }
        var world = LimitWorld(seed: seed)
        return world.run(.seconds(10))
    }

    /// Runs for so long, or until something is wrong.
    ///
    /// - Returns: what was wrong, in sentences.
    package mutating func run(_ time: Duration) -> [Violation] {
        let end = now + time
        while now < end, faults.isEmpty { step() }
        return faults.map { Violation(.limits, $0) }
    }

    private mutating func step() {
        now = now + .milliseconds(20)
        if let rate = limit.rate {
            let count = Double(rate.count)
            tokens = min(tokens + count * (.milliseconds(20) / rate.time), max(tokens, count))
        }
        for shard in shards.indices {
            if isFaulty, happens(1000) { takeOver(shard) }
            work(shard)
            talk(shard)
            call(shard)
        }
        let due = late.filter { $0.at <= now }
        late.removeAll { $0.at <= now }
        for claim in due { _ = decide(claim) }
        check()
    }

    // MARK: - Machines

    private mutating func work(_ shard: Int) {
        var state = shards[shard].state
        while let grant = shards[shard].grants.first, grant.at <= now {
            shards[shard].grants.removeFirst()
            state.apply(grant.1, at: now)
        }
        let ended = shards[shard].running.count { $0 <= now }
        shards[shard].running.removeAll { $0 <= now }
        state.running -= ended
        let some = happens(10) ? chance.number(0...4) : 0
        let more = isBusy ? some : max(0, 50 - shards[shard].waiting)
        shards[shard].waiting += more
        state.count(waiting: more, in: "pool")
        while shards[shard].waiting > 0, !state.isBlocked(at: now) {
            shards[shard].waiting -= 1
            shards[shard].running.append(soon(10...(happens(5) ? 3000 : 50)))
            shards[shard].begun += 1
            state.count(waiting: -1, in: "pool")
            state.running += 1
            state.began(at: now)
            tokens -= 1
        }
        shards[shard].state = state
    }

    private mutating func talk(_ shard: Int) {
        let demands = shards[shard].state.demands(at: now) { _ in true }
        shards[shard].now = demands
        if demands != shards[shard].said {
            shards[shard].said = demands
            let last = shards[shard].demands.last?.at ?? now
            shards[shard].demands.append((max(last, soon(0...20)), demands))
        }
        while let demand = shards[shard].demands.first, demand.at <= now {
            shards[shard].demands.removeFirst()
            shards[shard].sharing.demand(UInt32(shard), epoch: shards[shard].epoch, demand.1, at: now)
        }
    }

    // MARK: - Owners

    private mutating func call(_ shard: Int) {
        if let (at, input) = shards[shard].answer {
            guard at <= now else { return }
            shards[shard].answer = nil
            switch input {
            case .readShares(let shares): grant(shards[shard].sharing.took(shares, at: now), shard)
            case .claimedShares(_, let epoch, let outcomes):
                grant(shards[shard].sharing.claimed(UInt32(shard), epoch: epoch, outcomes, at: now), shard)
            default: shards[shard].sharing.failed(at: now)
            }
        }
        guard let call = shards[shard].sharing.next(at: now) else { return }
        let isLost = isFaulty && happens(20)
        switch call {
        case .read: shards[shard].answer = (soon(0...30), isLost ? nil : .readShares(shares))
        case .claim(_, let epoch, let claims):
            let claim = Claim(at: soon(0...4000), shard: shard, epoch: epoch, claims: claims)
            if isLost, happens(2) {
                // It is on its way, or the database has it and takes its time.
                late.append(claim)
                shards[shard].answer = (soon(10...500), nil)
            } else {
                let outcomes = decide(claim)
                shards[shard].answer = (
                    soon(0...30), isLost ? nil : .claimedShares(UInt32(shard), epoch: epoch, outcomes)
                )
            }
        }
    }

    private mutating func grant(_ actions: [LeaseAction], _ shard: Int) {
        for case .share(_, let epoch, let grant) in actions where epoch == shards[shard].epoch {
            let last = shards[shard].grants.last?.at ?? now
            // A machine that waits for its disk takes it later.
            let longest = isFaulty && happens(3) ? 2000 : 50
            shards[shard].grants.append((max(last, soon(0...longest)), grant))
        }
    }

    // MARK: - The database

    private var shares: [LimitShare] {
        rows.flatMap { key, rows in
            rows.map { shard, row in
                LimitShare(
                    key, shard: UInt32(shard), units: row.units, wanted: row.wanted, change: row.change,
                    age: now - row.changed, silence: now - row.claimed)
            }
        }
    }

    private mutating func decide(_ claim: Claim) -> [LimitOutcome] {
        guard shards[claim.shard].epoch == claim.epoch else { return claim.claims.map { _ in .refused } }
        return claim.claims.map { wish in
            let all = rows[wish.key] ?? [:]
            let others = all.reduce(0) { $1.key == claim.shard ? $0 : $0 + $1.value.units }
            let old = all[claim.shard]
            guard old?.change ?? 0 == wish.change || old == nil,
                wish.units <= wish.seen || wish.units + others <= wish.total
            else { return .refused }
            var row = old ?? Row(changed: now, claimed: now)
            if row.units != wish.units { row.changed = now }
            if wish.units < row.units { row.reduced = now }
            (row.units, row.wanted, row.change, row.claimed) = (wish.units, wish.wanted, row.change + 1, now)
            rows[wish.key, default: [:]][claim.shard] = row
            let isRested = all.values.allSatisfy { $0.reduced.map { now - $0 >= wish.period } ?? true }
            return .granted(isRested: isRested)
        }
    }

    // MARK: - What must hold

    private mutating func check() {
        for resource in LimitResource.allCases {
            let key = LimitKey(limit.name, resource)
            guard let total = resource == .rate ? limit.rate?.count : limit.concurrency else { continue }
            let units = units(resource)
            if units.reduce(0, +) > total { faults.append("\(key) \(units) of \(total)") }
            for shard in shards.indices {
                let held = shards[shard].now.first { $0.key == key }?.held ?? 0
                if held > units[shard] { faults.append("shard \(shard) holds \(held) of \(units[shard]) of \(key)") }
            }
        }
        if limit.rate != nil, tokens < -0.001 { faults.append("more began than one bucket allows: \(tokens)") }
    }
}
