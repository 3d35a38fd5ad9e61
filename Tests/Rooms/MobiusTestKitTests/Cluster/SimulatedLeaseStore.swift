import FleetSimulation
import JournalStoreCompatibility
import MobiusEngine
import MobiusJournal
import MobiusWire
import Testing

/// A connection to the simulated database, at a time that stands still.
final class SimulatedLeaseStore: LeaseStore {
    // One test uses it, on one thread.
    nonisolated(unsafe) private let table: LeaseTable
    private let session: UInt64
    private let now = Moment(nanoseconds: 0)

    init(_ table: LeaseTable) {
        self.table = table
        session = table.connect()
    }

    func shards() -> [ShardState] { table.shards(at: now) }

    func acquire(_ seen: ShardState, as holder: LeaseHolder, for time: Duration, above floor: UInt64) -> UInt64? {
        table.acquire(seen, as: holder, for: time, above: floor, on: session, at: now) { floor in
            max(floor, table.epoch(of: seen.shard)) + 1
        }
    }

    func renew(_ leases: [LeaseRenewal], for time: Duration) -> [LeaseOutcome] {
        leases.map { lease in
            let isKept = table.renew(
                lease.shard, epoch: lease.epoch, as: lease.holder, for: time, on: session, at: now)
            return isKept ? .kept : .lost
        }
    }

    func release(_ shard: UInt32, epoch: UInt64, possibleHolders: [Incarnation]?) {
        _ = table.release(shard, epoch: epoch, possibleHolders: possibleHolders)
    }

    func attend(as holder: LeaseHolder, isReady: Bool, for time: Duration) -> [ClusterMember] {
        table.attend(as: holder, isReady: isReady, for: time, at: now)
    }

    func resign(_ process: Incarnation) { table.resign(process) }

    // No shard of the simulation says what it could use of a limit.
    func limitShares(within time: Duration) -> [LimitShare] { [] }

    func claim(_ claims: [LimitClaim], for shard: UInt32, epoch: UInt64, within time: Duration) -> [LimitOutcome] { [] }

    func wait(for time: Duration) -> Bool { false }

    func wake() {}

    func close() { table.close(session) }
}

@Suite struct LeaseStoreTests {
    @Test("the simulated database keeps what every store of leases promises", arguments: LeaseStoreCompatibility.checks)
    func promise(_ check: LeaseStoreCompatibility.Check) throws {
        let table = LeaseTable()
        try check.run { SimulatedLeaseStore(table) }
    }
}
