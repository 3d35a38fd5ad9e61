package import MobiusEngine
package import MobiusJournal
package import MobiusWire

/// The lease of the journal in the simulated database, whose clock is the world's time.
///
/// It does what ``LeaseStore`` promises of a database. The epochs are the disk's, which fences earlier writers.
package final class LeaseTable {
    private struct Row {
        var epoch: UInt64 = 0
        var change: UInt64 = 0
        var holder: LeaseHolder?
        var ends = Moment(nanoseconds: .min)
        /// The connection on which the lease was taken or last renewed.
        var session: UInt64 = 0
        /// The workers that held effects when it was released.
        var heirs: [Incarnation]?
    }

    private var row = Row()
    private var sessions: Set<UInt64> = []
    private var lastSession: UInt64 = 0

    package init() {}

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

    // MARK: - Calls

    /// The newest epoch that a taking began.
    package var epoch: UInt64 { row.epoch }

    package func shard(at now: Moment) -> ShardState {
        let lease = row.holder.map {
            Lease(holder: $0, remaining: row.ends - now, isConnected: sessions.contains(row.session))
        }
        return ShardState(shard: 0, epoch: row.epoch, change: row.change, lease: lease, heirs: row.heirs)
    }

    /// Whether somebody has a lease under this epoch that has not ended.
    package func isValid(_ epoch: UInt64, at now: Moment) -> Bool {
        row.holder != nil && row.epoch == epoch && now < row.ends
    }

    /// Begins an epoch by `begin`, unless anything has changed since the shard was `seen`.
    package func take(
        _ seen: ShardState, as holder: LeaseHolder, for time: Duration, on session: UInt64, at now: Moment,
        begin: () throws -> UInt64
    ) rethrows -> UInt64? {
        guard seen.change == row.change, seen.epoch == row.epoch else { return nil }
        row = Row(
            epoch: try begin(), change: row.change + 1, holder: holder, ends: now + time, session: session)
        return row.epoch
    }

    package func renew(
        epoch: UInt64, as holder: LeaseHolder, for time: Duration, on session: UInt64, at now: Moment
    ) -> Bool {
        guard epoch == row.epoch else { return false }
        row = Row(epoch: epoch, change: row.change + 1, holder: holder, ends: now + time, session: session)
        return true
    }

    /// - Returns: whether a lease ended by that.
    package func release(epoch: UInt64, heirs: [Incarnation]? = nil) -> Bool {
        guard epoch == row.epoch, row.holder != nil else { return false }
        row.holder = nil
        row.heirs = heirs
        row.change += 1
        return true
    }
}
