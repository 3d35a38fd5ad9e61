package import MobiusJournal
import MobiusWire

/// Keeps the shares that the shards of a process have of the limits of their cluster: when it reads and claims them, and
/// by how many units their machines go.
///
/// It is a part of ``LeaseMachine``. What it guarantees, with a database that lets no shares exceed a total: the units by
/// which a machine goes, and the effects that run under them, are never more than the share in the database, whatever
/// becomes of a call. So a machine goes by fewer units before fewer are claimed, and by more once the claim is known to be on
/// disk. As each claim names the last one, a claim whose outcome is not known takes no effect after a later one.
package struct LimitSharing: Sendable {
    /// The interval at which shares are read while effects wait for units, and otherwise.
    private static let rhythm = (waiting: Duration.milliseconds(250), calm: Duration.seconds(1))
    /// The time between two readings, at least.
    private static let pause = Duration.milliseconds(100)
    /// The time for which a shard's demand counts after its last claim.
    private static let memory = Duration.seconds(5)
    /// The time for which a shard may keep its only unit when others have none.
    private static let turn = Duration.seconds(1)
    /// The same for one that does not use it, beside two periods of a rate.
    private static let longestTurn = Duration.seconds(10)

    /// A shard that the process runs.
    private struct Part: Sendable {
        let epoch: UInt64
        /// The demands that its machine reported last; `nil` before the first time.
        var demands: [LimitKey: LimitDemand]?
        /// The units of which its machine was told last.
        var told: [LimitKey: Int] = [:]
        /// The units that earlier owners left, of limits of which no claim has succeeded yet; `nil` before they were read.
        var inherited: [LimitKey: Int]?
        /// The claims to be made, and by how many units its machine may go then.
        var claims: [(claim: LimitClaim, units: Int)] = []
        /// The time at which the shares are to be read for it; `nil` for never.
        var reads: Moment?
    }

    private var parts: [UInt32: Part] = [:]
    private var lastRead: Moment?

    package init() {}

    /// A call that is due.
    package enum Call: Equatable {
        case read
        case claim(UInt32, UInt64, [LimitClaim])

        /// The call as a step, which may take so long.
        func step(within time: Duration) -> LeaseStep {
            switch self {
            case .read: .readShares(within: time)
            case .claim(let shard, let epoch, let claims): .claimShares(shard, epoch, claims, within: time)
            }
        }
    }

    /// The call to make next, if one is due.
    package func next(at now: Moment) -> Call? {
        for (shard, part) in parts.sorted(by: { $0.key < $1.key }) where !part.claims.isEmpty {
            return .claim(shard, part.epoch, part.claims.map(\.claim))
        }
        return due.map { $0 <= now } == true ? .read : nil
    }

    /// The time since which a call has been due.
    var dueSince: Moment? { parts.values.contains { !$0.claims.isEmpty } ? lastRead : due }

    /// The time at which the shares are to be read next.
    var due: Moment? { parts.values.compactMap(\.reads).min() }

    // MARK: - Shards

    /// The process runs a shard from now on.
    package mutating func begin(_ shard: UInt32, epoch: UInt64) { parts[shard] = Part(epoch: epoch) }

    /// The process runs a shard no more.
    ///
    /// The share stays, for the shard's effects may still run.
    package mutating func end(_ shard: UInt32) { parts[shard] = nil }

    /// A shard's machine says what it could use.
    package mutating func demand(_ shard: UInt32, epoch: UInt64, _ demands: [LimitDemand], at now: Moment) {
        guard parts[shard]?.epoch == epoch else { return }
        let before = parts[shard]?.demands
        parts[shard]?.demands = Dictionary(demands.map { ($0.key, $0) }) { $1 }
        // The earlier owner may have left shares of limits that nothing waits for.
        if before == nil || demands.contains(where: { $0.isPressing(since: before?[$0.key]) }) { read(shard, at: now) }
    }

    /// The connection is lost: what was claimed last may be on disk or not.
    package mutating func failed(at now: Moment) {
        for shard in parts.keys where parts[shard]?.demands != nil {
            parts[shard]?.claims = []
            read(shard, at: now)
        }
    }

    private mutating func read(_ shard: UInt32, at now: Moment) {
        let moment = max(now, lastRead.map { $0 + Self.pause } ?? now)
        let before = parts[shard]?.reads ?? moment
        parts[shard]?.reads = min(before, moment)
    }

    // MARK: - Shares

    /// The shares were read.
    package mutating func took(_ shares: [LimitShare], at now: Moment) -> [LeaseAction] {
        lastRead = now
        let all = Dictionary(grouping: shares, by: \.key)
        var lowered: [LeaseAction] = []
        for shard in parts.keys.sorted() {
            guard var part = parts[shard], let demands = part.demands else { continue }
            part.claims = []
            part.reads = nil
            if part.inherited == nil {
                let own = shares.filter { $0.shard == shard }
                part.inherited = Dictionary(own.map { ($0.key, $0.units) }) { $1 }
            }
            for key in Set(demands.keys).union(shares.filter { $0.shard == shard }.map(\.key)).sorted() {
                let told = part.told[key] ?? 0
                guard demands[key]?.units ?? 0 == told else {
                    // Its machine has not taken the last grant yet, and may go by an earlier one.
                    part.reads = min(part.reads ?? now + Self.rhythm.waiting, now + Self.rhythm.waiting)
                    continue
                }
                let units = decide(key, all[key] ?? [], of: shard, &part, at: now)
                guard units < told else { continue }
                part.told[key] = units
                lowered.append(.share(shard, epoch: part.epoch, LimitGrant(key, units: units)))
            }
            parts[shard] = part
        }
        return lowered
    }

    /// Decides how many units of a limit a shard should have, and what is to be claimed for that.
    private func decide(
        _ key: LimitKey, _ shares: [LimitShare], of shard: UInt32, _ part: inout Part, at now: Moment
    ) -> Int {
        let demand = part.demands?[key]
        let row = shares.first { $0.shard == shard }
        let (seen, wanted) = (row?.units ?? 0, LimitShare.clamp(demand?.wanted ?? 0))
        let own = LimitShares.Stake(
            shard: shard, units: seen, wanted: wanted, age: row?.age ?? .zero,
            hasHadTurn: Self.hasHadTurn(row, demand))
        let others = shares.filter { $0.shard != shard }.map { other in
            LimitShares.Stake(
                shard: other.shard, units: other.units, wanted: other.silence < Self.memory ? other.wanted : 0,
                age: other.age)
        }
        // Without a demand the total is not known, and of no use: nothing is wanted then.
        let total = LimitShare.clamp(demand?.total ?? shares.reduce(0) { $0 + $1.units })
        let units = LimitShares.units(for: own, beside: others, of: total)
        // What its machine goes by, and what runs, stays claimed.
        let claimed = max(units, min(seen, demand?.held ?? 0))
        let isSilent = wanted > 0 && row.map { $0.silence >= Self.rhythm.calm - Self.pause } ?? true
        if claimed != seen || wanted != row?.wanted ?? 0 || isSilent || demand.map({ units > $0.units }) == true {
            let claim = LimitClaim(
                key, total: total, period: demand?.period ?? .zero, seen: seen, change: row?.change ?? 0,
                units: claimed, wanted: wanted)
            part.claims.append((claim, units))
        }
        if claimed > 0 || wanted > 0 {
            let reads = now + (wanted > units ? Self.rhythm.waiting : Self.rhythm.calm)
            part.reads = min(part.reads ?? reads, reads)
        }
        return units
    }

    private static func hasHadTurn(_ row: LimitShare?, _ demand: LimitDemand?) -> Bool {
        guard let row, let demand, row.age >= turn else { return false }
        return demand.hasBegun || row.age >= longestTurn + demand.period * 2
    }

    /// The claims of a shard were made.
    package mutating func claimed(
        _ shard: UInt32, epoch: UInt64, _ outcomes: [LimitOutcome], at now: Moment
    ) -> [LeaseAction] {
        guard let part = parts[shard], part.epoch == epoch, part.claims.count == outcomes.count else { return [] }
        parts[shard]?.claims = []
        var raised: [LeaseAction] = []
        for ((claim, units), outcome) in zip(part.claims, outcomes) {
            guard case .granted(let isRested) = outcome else {
                read(shard, at: now)
                continue
            }
            let inherited = parts[shard]?.inherited?.removeValue(forKey: claim.key) ?? 0
            let told = part.told[claim.key] ?? 0
            guard part.demands?[claim.key] != nil, units > told else { continue }
            parts[shard]?.told[claim.key] = units
            // Of units that were free, or taken over, as after a restart; the machine has used the tokens of others before.
            let isFull = isRested && claim.seen == told || inherited >= units
            let grant = LimitGrant(claim.key, units: units, isFull: isFull)
            raised.append(.share(shard, epoch: epoch, grant))
        }
        return raised
    }
}
