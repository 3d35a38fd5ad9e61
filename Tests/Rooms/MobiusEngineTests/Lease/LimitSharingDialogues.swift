import MobiusEngine
import MobiusJournal
import Testing

/// How a process that runs a shard reads and claims its shares of limits.
@Suite struct LimitSharingDialogues {
    private typealias Bench = LeaseBench
    private static let few = LimitKey("few", .concurrency)
    private static let longest = Duration.milliseconds(500)

    private static func demand(_ wanted: Int, units: Int = 0, held: Int? = nil) -> LeaseInput {
        .demanded(
            0, epoch: 7,
            [LimitDemand(few, total: 4, units: units, held: held ?? units, wanted: wanted, hasBegun: units > 0)])
    }

    private static func share(_ units: Int, wanted: Int, shard: UInt32 = 0, change: Int64 = 1) -> LimitShare {
        LimitShare(few, shard: shard, units: units, wanted: wanted, change: change, age: .seconds(9), silence: .zero)
    }

    private static func claim(_ units: Int, seen: Int = 0, change: Int64 = 0, wanted: Int) -> LeaseStep {
        .claimShares(
            0, 7, [LimitClaim(few, total: 4, seen: seen, change: change, units: units, wanted: wanted)], within: longest
        )
    }

    /// A process whose shard has three units of four.
    private static func sharing() -> Bench {
        var bench = Bench.holding()
        bench.tell(demand(3))
        bench.tell(.readShares([]))
        bench.tell(.claimedShares(0, epoch: 7, [.granted(isRested: true)]))
        bench.tell(demand(3, units: 3))
        return bench
    }

    @Test func `a shard goes by its units once they are on disk`() {
        var bench = Bench.holding()
        #expect(bench.tell(Self.demand(3)) == [])
        #expect(bench.next == .readShares(within: Self.longest))
        #expect(bench.tell(.readShares([])) == [])
        #expect(bench.next == Self.claim(3, wanted: 3))
        let granted = bench.tell(.claimedShares(0, epoch: 7, [.granted(isRested: true)]))
        #expect(granted == [.share(0, epoch: 7, LimitGrant(Self.few, units: 3, isFull: true))])
        #expect(bench.next == .wait(until: Bench.at(250)))
    }

    @Test func `a claim that is refused, or whose outcome is not known, grants nothing`() {
        var bench = Bench.holding()
        bench.tell(Self.demand(3))
        bench.tell(.readShares([]))
        #expect(bench.tell(.claimedShares(0, epoch: 7, [.refused])) == [])
        bench.now = 100
        #expect(bench.next == .readShares(within: Self.longest))
        bench.tell(.readShares([]))
        #expect(bench.tell(.failed) == [])
        bench.now = 400
        bench.tell(.connected)
        bench.tell(.renewed(0, epoch: 7, .kept, asked: Bench.at(400)))
        bench.tell(.read([]))
        // It was on disk, but its units may have come without tokens.
        bench.tell(.readShares([Self.share(3, wanted: 3)]))
        #expect(bench.next == Self.claim(3, seen: 3, change: 1, wanted: 3))
        let granted = bench.tell(.claimedShares(0, epoch: 7, [.granted(isRested: false)]))
        #expect(granted == [.share(0, epoch: 7, LimitGrant(Self.few, units: 3, isFull: false))])
    }

    @Test func `fewer units are claimed after the machine has said that it goes by fewer, and nothing more runs`() {
        var bench = Self.sharing()
        let shares = [Self.share(3, wanted: 3), Self.share(0, wanted: 3, shard: 1)]
        // One is free.
        let lowered = bench.tell(.readShares(shares))
        #expect(lowered == [.share(0, epoch: 7, LimitGrant(Self.few, units: 2))])
        #expect(bench.next == .wait(until: Bench.at(250)))
        bench.tell(.readShares(shares))
        #expect(bench.next == .wait(until: Bench.at(250)), "the machine may still go by three")
        bench.tell(Self.demand(3, units: 2, held: 3))
        bench.tell(.readShares(shares))
        #expect(bench.next == .wait(until: Bench.at(250)), "three run")
        bench.tell(Self.demand(3, units: 2))
        bench.now = 100
        #expect(bench.next == .readShares(within: Self.longest))
        bench.tell(.readShares(shares))
        #expect(bench.next == Self.claim(2, seen: 3, change: 1, wanted: 3))
        #expect(bench.tell(.claimedShares(0, epoch: 7, [.granted(isRested: true)])) == [])
    }

    @Test func `a share of an earlier owner is taken over, with a full bucket`() {
        var bench = Bench.holding()
        bench.tell(Self.demand(3))
        bench.tell(.readShares([Self.share(3, wanted: 3)]))
        #expect(bench.next == Self.claim(3, seen: 3, change: 1, wanted: 3))
        let granted = bench.tell(.claimedShares(0, epoch: 7, [.granted(isRested: false)]))
        #expect(granted == [.share(0, epoch: 7, LimitGrant(Self.few, units: 3, isFull: true))])
    }

    @Test func `what an earlier owner left and nobody uses any more goes to others`() {
        var bench = Bench.holding()
        bench.tell(.demanded(0, epoch: 7, []))
        #expect(bench.next == .readShares(within: Self.longest))
        bench.tell(.readShares([Self.share(4, wanted: 0), Self.share(0, wanted: 3, shard: 1)]))
        let claim = LimitClaim(Self.few, total: 4, seen: 4, change: 1, units: 1, wanted: 0)
        #expect(bench.next == .claimShares(0, 7, [claim], within: Self.longest))
    }

    @Test func `what another shard wanted long ago does not count`() {
        var bench = Self.sharing()
        var old = Self.share(0, wanted: 3, shard: 1)
        old.silence = .seconds(60)
        #expect(bench.tell(.readShares([Self.share(3, wanted: 3), old])) == [])
        #expect(bench.next == .wait(until: Bench.at(250)))
    }

    @Test func `numbers that nobody could have written stop nothing`() {
        var bench = Self.sharing()
        let strange = (1...9 as ClosedRange<UInt32>).map { shard in
            LimitShare(
                Self.few, shard: shard, units: shard % 2 == 0 ? .max : .min, wanted: .max, change: .max,
                age: .seconds(Int64.min), silence: .seconds(Int64.min))
        }
        // Others have more than there is: it has had its turn.
        let lowered = bench.tell(.readShares(strange + [Self.share(3, wanted: 3)]))
        #expect(lowered == [.share(0, epoch: 7, LimitGrant(Self.few, units: 0))])
    }

    @Test func `a lease that would become due during a call is renewed before`() {
        var bench = Bench.holding()
        bench.now = 600
        bench.tell(.read([]))
        #expect(bench.next == .wait(until: Bench.at(850)))
        bench.tell(Self.demand(3))
        #expect(bench.next == Bench.renew(0, 7, Bench.own))
        bench.tell(.renewed(0, epoch: 7, .kept, asked: Bench.at(600)))
        #expect(bench.next == .readShares(within: Self.longest))
    }

    @Test func `a shard that ended claims nothing, and its share stays`() {
        var bench = Self.sharing()
        bench.tell(.ended(0, epoch: 7, isFailure: false))
        #expect(bench.next == .release(0, 7))
        bench.tell(.released(0, epoch: 7))
        bench.tell(Self.demand(3))
        bench.tell(.read([]))
        #expect(bench.next == .wait(until: Bench.at(250)))
    }
}
