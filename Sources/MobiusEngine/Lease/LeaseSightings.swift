import MobiusJournal
import MobiusWire

/// The ends of leases, by the clock of a process that stands by.
///
/// A lease ends when it was not renewed for as long as it lasts since its last renewal was seen, whatever the database's clock
/// says. As its holder counts from before the renewal, and acts for three quarters of the time only, nobody acts by it then.
struct LeaseSightings: Sendable {
    /// A taking or renewal, as it was seen.
    private struct Sighting: Sendable {
        let epoch: UInt64
        let change: UInt64
        /// The time at which the lease ends unless it is renewed.
        let ends: Moment
    }

    private let timing: LeaseTiming
    private var sightings: [UInt32: Sighting] = [:]
    /// The time until which somebody may act by a lease that the database does not know any more.
    private var unsureUntil = Moment(nanoseconds: .min)
    /// The newest epochs that anybody has seen: after a failover of the database its own may be older.
    private var newest: [UInt32: UInt64] = [:]

    init(_ timing: LeaseTiming) {
        self.timing = timing
    }

    /// Returns the shards as they were read, with what remains of their leases by this process's clock.
    mutating func see(_ read: [ShardState], at now: Moment) -> [ShardState] {
        var seen: [UInt32: Sighting] = [:]
        defer { sightings = seen }
        return read.map { shard in
            note(shard.epoch, of: shard.shard)
            guard let lease = shard.lease else { return shard }
            let known = sightings[shard.shard].flatMap {
                $0.epoch == shard.epoch && $0.change == shard.change ? $0 : nil
            }
            let ends = now + timing.patience(lease.remaining)
            let sighting = known ?? Sighting(epoch: shard.epoch, change: shard.change, ends: ends)
            seen[shard.shard] = sighting
            var timed = shard
            timed.lease?.remaining = sighting.ends - now
            return timed
        }
    }

    /// The database was reached anew, and may be another one, which lacks the newest takings.
    ///
    /// Earlier sightings of leases, and of the death of their holders, do not tell which processes have taken them
    /// since. Such a process acts for a lease's time at most.
    mutating func beginAnew(at now: Moment) {
        sightings = [:]
        unsureUntil = now + timing.lease
    }

    /// Whether nobody but the holder of a lease can act by it or a later one, so that it may be taken when that one has died.
    func knowsTheDead(at now: Moment) -> Bool { unsureUntil <= now }

    /// Whether a lease has ended.
    func hasEnded(_ shard: UInt32, at now: Moment) -> Bool { sightings[shard].map { $0.ends <= now } ?? false }

    /// Somebody has seen an epoch of a shard.
    mutating func note(_ epoch: UInt64, of shard: UInt32) { newest[shard] = max(newest[shard] ?? 0, epoch) }

    /// The newest epoch that was seen of a shard; 0 when it is the one that was read.
    func floor(of shard: ShardState) -> UInt64 { newest[shard.shard].flatMap { $0 > shard.epoch ? $0 : nil } ?? 0 }
}

/// The shards that could not be taken, which are left alone for longer and longer.
struct LeaseRefusals: Sendable {
    private struct Refusal: Sendable {
        /// The shard as it was then; one that was changed since may be taken at once.
        let change: UInt64
        let tries: Int
        let until: Moment
    }

    private let timing: LeaseTiming
    private var refusals: [UInt32: Refusal] = [:]

    init(_ timing: LeaseTiming) {
        self.timing = timing
    }

    /// Returns the number of times in a row that a shard could not be taken.
    func tries(_ shard: UInt32) -> Int { refusals[shard]?.tries ?? 0 }

    /// Whether a shard may be tried.
    func allow(_ shard: ShardState, at now: Moment) -> Bool {
        refusals[shard.shard].map { $0.change != shard.change || $0.until <= now } ?? true
    }

    /// A shard could not be taken: another process was faster, or a transaction does not end.
    mutating func add(_ shard: ShardState, at now: Moment) {
        let before = refusals[shard.shard].flatMap { $0.change == shard.change ? $0.tries : nil } ?? 0
        let tries = min(before + 1, 1000)
        refusals[shard.shard] = Refusal(change: shard.change, tries: tries, until: now + timing.backoff(tries))
    }

    mutating func remove(_ shard: UInt32) { refusals[shard] = nil }
}
