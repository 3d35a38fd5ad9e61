import MobiusJournal
import MobiusWire

/// The usage of one limit.
package struct LimitState: Equatable, Sendable {
    /// The limit of the route that was used last.
    var limit: EffectLimit
    /// The number of its effects at workers.
    package var running = 0
    /// The share of this shard in it, and its demand; `nil` when the limit holds for this shard alone.
    var share: Share?
    /// The time at which the rate's bucket would be full again (the "theoretical arrival time" of the generic cell rate
    /// algorithm, ITU-T I.371).
    private(set) var full: Moment?
    /// The time at which the coordinator dispatches again because of it.
    var wakesAt: Moment?
    /// The places at which its key waits for it, if it is a key's limit.
    var parked: [Place] = []

    /// A lane of a pool.
    struct Place: Equatable, Sendable {
        let pool: SlotTable<String, PoolState>.Slot
        let lane: PoolState.LaneKey
    }

    package init(_ limit: EffectLimit, isShared: Bool = false) {
        self.limit = limit
        if isShared, limit.scope == .cluster { share = Share() }
    }

    /// The number of its effects that may run at once; `nil` for any.
    private var concurrency: Int? { limit.concurrency.map { min($0, share?[.concurrency].count ?? $0) } }

    /// The number of attempts that may begin in the rate's period; `nil` without a rate.
    private var pace: Int? { limit.rate.map { min($0.count, share?[.rate].count ?? $0.count) } }

    /// Whether one more effect may run.
    var hasRoom: Bool { concurrency.map { running < $0 } ?? true }

    /// Whether it is the cluster's, and this shard has no unit of it.
    var lacksShare: Bool { concurrency == 0 || pace == 0 }

    /// Returns the time at which the rate allows the next one to begin; `nil` for at once, and if that is not known.
    func opens(after now: Moment) -> Moment? {
        guard let rate = limit.rate, let pace, pace > 0, let full else { return nil }
        let pause = rate.time / pace
        let earliest = full + (pause - rate.time + pause * (pace - min(rate.burst, pace)))
        return earliest > now ? earliest : nil
    }

    /// Whether no more effects may begin now.
    package func isBlocked(at now: Moment) -> Bool { !hasRoom || pace == 0 || opens(after: now) != nil }

    package mutating func began(at now: Moment) {
        share?.began(limit.rate, at: now)
        guard let rate = limit.rate, let pace, pace > 0 else { return }
        full = max(full ?? now, now) + rate.time / pace
    }

    /// Uses this number of units from now on.
    ///
    /// The bucket of a rate that shrinks keeps the tokens that fit into it, and one that grows gets new ones with time only,
    /// unless the new units come with theirs.
    package mutating func apply(_ grant: LimitGrant, at now: Moment) {
        let before = pace ?? 0
        share?.apply(grant)
        guard grant.key.resource == .rate, let rate = limit.rate, let pace else { return }
        let wait = full.map { max(.zero, $0 - now) } ?? .zero
        var tokens = max(0, Double(min(rate.burst, before)) - Double(before) * (wait / rate.time))
        if grant.isFull, pace > before { tokens += Double(pace - before) }
        let missing = pace == 0 ? 0 : max(0, Double(min(rate.burst, pace)) - tokens) / Double(pace)
        full = missing == 0 ? nil : now + rate.time * missing
    }
}

/// A limit that applies to each key by itself, for one key.
struct KeyedLimit: Hashable, Sendable {
    let name: String
    let key: ExactText
}
