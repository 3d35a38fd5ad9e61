import FleetSimulation
import MobiusEngine
import MobiusJournal
import MobiusWire
import Testing

/// The simulated database keeps what `LeaseStore` promises.
@Suite struct LeaseTableTests {
    private let table = LeaseTable()
    private let own = LeaseHolder(process: Incarnation(high: 1, low: 1), name: "own")
    private let other = LeaseHolder(process: Incarnation(high: 2, low: 2), name: "other")
    private let lease = Duration.seconds(4)

    private func at(_ seconds: Int64) -> Moment { Moment(nanoseconds: seconds * 1_000_000_000) }

    private func shard(at now: Moment) -> ShardState { table.shards(at: now)[0] }

    private func acquire(
        _ seen: ShardState, at seconds: Int64 = 0, as holder: LeaseHolder? = nil, on session: UInt64 = 0
    ) -> UInt64? {
        table.acquire(seen, as: holder ?? own, for: lease, on: session, at: at(seconds)) { _ in table.epoch() + 1 }
    }

    @Test func takingBeginsAnEpochAndALease() {
        let session = table.connect()
        #expect(shard(at: at(0)) == ShardState(shard: 0, epoch: 0, change: 0, lease: nil))
        #expect(acquire(shard(at: at(0)), on: session) == 1)
        let lease = Lease(holder: own, remaining: .seconds(3), isConnected: true)
        #expect(shard(at: at(1)) == ShardState(shard: 0, epoch: 1, change: 1, lease: lease))
        #expect(table.isValid(1, at: at(3)))
        #expect(!table.isValid(1, at: at(4)))
        #expect(!table.isValid(2, at: at(3)))
    }

    @Test func nothingIsTakenThatHasChangedSinceItWasSeen() {
        let seen = shard(at: at(0))
        #expect(acquire(seen) == 1)
        #expect(acquire(seen, as: other) == nil)
        let leased = shard(at: at(9))
        #expect(table.renew(epoch: 1, as: own, for: lease, on: 0, at: at(9)))
        #expect(acquire(leased, at: 9, as: other) == nil)
        #expect(acquire(shard(at: at(9)), at: 9, as: other) == 2)
    }

    @Test func aRenewalOfAnEarlierEpochIsRefused() {
        #expect(acquire(shard(at: at(0))) == 1)
        #expect(acquire(shard(at: at(9)), at: 9, as: other) == 2)
        let before = shard(at: at(9))
        #expect(!table.renew(epoch: 1, as: own, for: lease, on: 0, at: at(9)))
        #expect(!table.release(epoch: 1))
        #expect(shard(at: at(9)) == before)
    }

    @Test func theClockThatIsSetShowsInWhatRemains() {
        #expect(acquire(shard(at: at(0))) == 1)
        table.setClock(by: .seconds(10))
        #expect(shard(at: at(1)).lease?.remaining == .seconds(-7))
        #expect(table.isValid(1, at: at(1)), "its holder goes by another clock")
        #expect(table.renew(epoch: 1, as: own, for: lease, on: 0, at: at(1)))
        #expect(shard(at: at(1)).lease?.remaining == .seconds(4))
        table.setClock(by: .seconds(-100))
        #expect(shard(at: at(1)).lease?.remaining == .seconds(104))
    }

    @Test func aReleaseEndsTheLeaseAndChangesTheShard() {
        #expect(acquire(shard(at: at(0))) == 1)
        let seen = shard(at: at(0))
        #expect(table.release(epoch: 1))
        #expect(!table.isValid(1, at: at(0)))
        #expect(acquire(seen) == nil)
        #expect(shard(at: at(0)) == ShardState(shard: 0, epoch: 1, change: 2, lease: nil))
    }

    @Test func theEndOfAConnectionShowsInTheLeaseThatWasRenewedOnIt() {
        let (first, second) = (table.connect(), table.connect())
        #expect(acquire(shard(at: at(0)), on: first) == 1)
        table.close(second)
        #expect(shard(at: at(0)).lease?.isConnected == true)
        table.close(first)
        #expect(shard(at: at(0)).lease?.isConnected == false)
        let third = table.connect()
        #expect(table.renew(epoch: 1, as: own, for: lease, on: third, at: at(0)))
        #expect(shard(at: at(0)).lease?.isConnected == true)
        table.closeAll()
        #expect(!table.isOpen(third))
    }

    @Test func shardsHaveLeasesOfTheirOwn() {
        let table = LeaseTable([SliceSet(0..<512), SliceSet(512..<1024)])
        let seen = table.shards(at: at(0))
        #expect(seen.map(\.shard) == [0, 1] && seen.map(\.slices.count) == [512, 512])
        #expect(table.acquire(seen[1], as: own, for: lease, on: 0, at: at(0)) { _ in 7 } == 7)
        #expect(table.acquire(seen[0], as: other, for: lease, on: 0, at: at(0)) { _ in 8 } == 8)
        #expect(
            table.isValid(7, of: 1, at: at(1)) && table.isValid(8, of: 0, at: at(1)) && !table.isValid(7, at: at(1)))
        #expect(table.release(1, epoch: 7) && !table.release(0, epoch: 7))
        table.want(other.process, for: 1)
        #expect(table.shards(at: at(1)).map(\.wanted) == [nil, other.process])
        #expect(table.shards(at: at(1)).map(\.lease?.holder) == [other, nil])
    }

    @Test func processesAreForgottenWhenTheyHaveNotAttendedForALease() {
        #expect(table.attend(as: own, isReady: true, for: lease, at: at(0)).map(\.name) == ["own"])
        #expect(table.attend(as: other, isReady: false, for: lease, at: at(3)).map(\.isReady) == [false, true])
        #expect(table.attend(as: other, isReady: true, for: lease, at: at(4)).map(\.name) == ["other"])
        table.resign(other.process)
        #expect(table.attend(as: own, isReady: true, for: lease, at: at(5)).map(\.name) == ["own"])
    }

    @Test(arguments: [800, 1000, 1200])
    func aHostsClockShowsAMomentWhenItsTimeIsOver(rate: Int) {
        let clock = HostClock(rate: rate, offset: 77_000_000_001, start: at(1))
        let now = at(5)
        let shown = clock.moment(at: now)
        #expect(shown == Moment(nanoseconds: 77_000_000_001 + 4_000_000 * Int64(rate)))
        for pause in [Duration.nanoseconds(1), .microseconds(333), .seconds(3)] {
            let wait = clock.time(until: shown + pause, at: now)
            #expect(clock.moment(at: now + wait) >= shown + pause)
            #expect(clock.moment(at: now + wait) < shown + pause + .microseconds(3))
        }
        #expect(clock.time(until: shown, at: now) == .zero)
        #expect(clock.time(until: Moment(nanoseconds: 0), at: now) == .zero)
    }
}
