package import MobiusEngine
package import MobiusJournal
import MobiusTestKit
package import MobiusWire

/// The leases of a journal's shards in the simulated database, whose clock may be set, and its list of processes.
///
/// It does what ``LeaseStore`` promises of a database. The epochs are the disks', which fence earlier writers.
package final class LeaseTable {
    fileprivate struct Row {
        var epoch: UInt64 = 0
        var change: UInt64 = 0
        var holder: LeaseHolder?
        /// The time at which the lease ends, by the world's time, and by the database's clock as it was then.
        var ends = Moment(nanoseconds: .min)
        var until = Moment(nanoseconds: .min)
        /// The connection on which the lease was taken or last renewed.
        var session: UInt64 = 0
        /// The workers that held effects when it was released.
        var possibleHolders: [Incarnation]?
    }

    fileprivate struct Attendance {
        var member: ClusterMember
        var ends: Moment
    }

    private let slices: [SliceSet]
    /// The longest that a process attends at a time.
    private let longest: Duration
    private var rows: [Row]
    /// The process that an operator wants to run each shard.
    private var wanted: [Incarnation?]
    private var attendances: [Incarnation: Attendance] = [:]
    /// The time by which the database's clock is ahead of the world's.
    private var lead = Duration.zero
    private var sessions: Set<UInt64> = []
    private var lastSession: UInt64 = 0

    /// Makes the table of a journal with as many shards as there are sets of slices.
    package init(_ slices: [SliceSet] = [.all], longest: Duration = .seconds(60)) {
        self.slices = slices
        self.longest = longest
        rows = slices.map { _ in Row() }
        wanted = slices.map { _ in nil }
    }

    // MARK: - Connections

    /// Opens a connection.
    package func connect() -> UInt64 {
        lastSession += 1
        sessions.insert(lastSession)
        return lastSession
    }

    package func isOpen(_ session: UInt64) -> Bool { sessions.contains(session) }

    package func close(_ session: UInt64) { sessions.remove(session) }

    package func closeAll() { sessions = [] }

    // MARK: - Leases

    /// Sets the database's clock forward or back.
    package func setClock(by step: Duration) { lead += step }

    /// The newest epoch of a shard that a taking began.
    package func epoch(of shard: UInt32 = 0) -> UInt64 { rows[Int(shard)].epoch }

    /// All shards, in the order of their numbers.
    package func shards(at now: Moment) -> [ShardState] {
        rows.indices.map { shard in
            let row = rows[shard]
            let lease = row.holder.map {
                Lease(holder: $0, remaining: row.until - (now + lead), isConnected: sessions.contains(row.session))
            }
            return ShardState(
                shard: UInt32(shard), epoch: row.epoch, change: row.change, lease: lease, slices: slices[shard],
                wanted: wanted[shard], possibleHolders: row.possibleHolders)
        }
    }

    /// Returns the time at which the last lease of a shard ends or ended, unless it was released.
    package func end(of shard: UInt32) -> Moment { rows[Int(shard)].ends }

    /// Whether somebody has a lease of the shard under this epoch that has not ended.
    package func isValid(_ epoch: UInt64, of shard: UInt32 = 0, at now: Moment) -> Bool {
        let row = rows[Int(shard)]
        return row.holder != nil && row.epoch == epoch && now < row.ends
    }

    /// Begins an epoch by `begin`, unless anything has changed since the shard was `seen`.
    ///
    /// - Parameters:
    ///   - floor: The new epoch is greater than this one, because somebody has seen it.
    ///   - begin: Begins an epoch greater than the one that it gets: as in production no earlier one than the milliseconds that the
    ///     database's clock shows, so that none comes twice after a failover.
    package func acquire(
        _ seen: ShardState, as holder: LeaseHolder, for time: Duration, above floor: UInt64 = 0,
        on session: UInt64, at now: Moment, begin: (_ floor: UInt64) throws -> UInt64
    ) rethrows -> UInt64? {
        let row = rows[Int(seen.shard)]
        guard seen.change == row.change, seen.epoch == row.epoch else { return nil }
        let epoch = try begin(max(floor, clock(at: now)))
        rows[Int(seen.shard)] = Row(
            epoch: epoch, change: row.change + 1, holder: holder, ends: now + time, until: now + lead + time,
            session: session)
        return epoch
    }

    package func renew(
        _ shard: UInt32 = 0, epoch: UInt64, as holder: LeaseHolder, for time: Duration, on session: UInt64,
        at now: Moment
    ) -> Bool {
        let row = rows[Int(shard)]
        guard epoch == row.epoch, row.holder?.process == holder.process else { return false }
        rows[Int(shard)] = Row(
            epoch: epoch, change: row.change + 1, holder: holder, ends: now + time, until: now + lead + time,
            session: session)
        return true
    }

    /// - Returns: whether a lease ended by that.
    package func release(_ shard: UInt32 = 0, epoch: UInt64, possibleHolders: [Incarnation]? = nil) -> Bool {
        guard epoch == rows[Int(shard)].epoch, rows[Int(shard)].holder != nil else { return false }
        rows[Int(shard)].holder = nil
        rows[Int(shard)].possibleHolders = possibleHolders
        rows[Int(shard)].change += 1
        return true
    }

    // MARK: - Failovers

    /// The leases and processes at one time, which a replica may have that has received nothing later.
    package struct Content {
        fileprivate let rows: [Row]
        fileprivate let wanted: [Incarnation?]
        fileprivate let attendances: [Incarnation: Attendance]
        /// The newest epoch of each shard.
        package var epochs: [UInt64] { rows.map(\.epoch) }
    }

    package var content: Content { Content(rows: rows, wanted: wanted, attendances: attendances) }

    /// Forgets everything later than `content`.
    ///
    /// - Returns: the leases of which a taking or a renewal was lost: each with its shard, its epoch, and its end.
    package func restore(_ content: Content) -> [(shard: UInt32, epoch: UInt64, end: Moment)] {
        let lost = rows.indices.filter { rows[$0].change != content.rows[$0].change }
            .map { (shard: UInt32($0), epoch: rows[$0].epoch, end: rows[$0].ends) }
        (rows, wanted, attendances) = (content.rows, content.wanted, content.attendances)
        return lost
    }

    /// Returns the time that the database's clock shows, in milliseconds.
    package func clock(at now: Moment) -> UInt64 { UInt64(max(0, (now + lead).nanoseconds / 1_000_000)) }

    // MARK: - Processes

    /// Notes a process, and returns all that were noted and are not forgotten.
    package func attend(
        as holder: LeaseHolder, isReady: Bool, for time: Duration, at now: Moment
    ) -> [ClusterMember] {
        attendances[holder.process] = Attendance(
            member: ClusterMember(process: holder.process, name: holder.name, isReady: isReady),
            ends: now + lead + time)
        attendances = attendances.filter { now + lead < $0.value.ends }
        // The clock may have been set back since.
        for (process, attendance) in attendances {
            attendances[process]?.ends = min(attendance.ends, now + lead + longest)
        }
        return attendances.values.map(\.member).sorted { $0.name < $1.name }
    }

    /// Forgets a process.
    package func resign(_ process: Incarnation) { attendances[process] = nil }

    /// Notes which process an operator wants to run a shard; `nil` for any.
    package func want(_ process: Incarnation?, for shard: UInt32) { wanted[Int(shard)] = process }
}
