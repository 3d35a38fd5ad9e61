import MobiusEngine
import MobiusJournal
import MobiusWire
import Testing

/// Which of several shards a process takes, keeps and hands over.
@Suite struct FairShareDialogues {
    private typealias Bench = LeaseBench

    /// A machine that knows these members and shards.
    private static func bench(_ members: [ClusterMember], _ shards: [ShardState]) -> Bench {
        var bench = Bench.reading(shards)
        bench.tell(.attended(members))
        bench.tell(.read(shards))
        return bench
    }

    private static func free(_ count: UInt32) -> [ShardState] { (0..<count).map { Bench.free($0) } }

    /// Takes what the machine wants to take until it wants nothing more.
    private static func takeAll(_ bench: inout Bench, _ shards: inout [ShardState]) {
        while case .acquire(let seen, let holder, _) = bench.next {
            let place = Int(seen.shard)
            bench.tell(.acquired(seen, epoch: 7, asked: Bench.at(bench.now)))
            shards[place] = Bench.leased(seen.shard, to: holder, epoch: 7, change: seen.change + 1)
            shards[place].wanted = seen.wanted
            bench.tell(.read(shards))
        }
    }

    @Test func `one shard alone is taken without knowing anybody`() {
        let bench = Bench.reading(Self.free(1))
        #expect(bench.next == .acquire(Bench.free(), Bench.own))
    }

    @Test func `of several shards none is taken before the others know of this process`() {
        var bench = Bench()
        bench.tell(.connected)
        bench.tell(.read(Self.free(2)))
        #expect(bench.next == .attend(Bench.own, isReady: true))
        bench.tell(.attended([Bench.member(Bench.own)]))
        #expect(bench.next == .read)
        bench.tell(.read(Self.free(2)))
        #expect(bench.next == .acquire(Bench.free(), Bench.own))
        bench.now = 1000
        bench.tell(.read(Self.free(2)))
        #expect(bench.next == .attend(Bench.own, isReady: true), "again after a quarter of a lease's time")
    }

    @Test(arguments: [(8, 1, 8), (8, 2, 4), (8, 3, 3), (3, 2, 2), (2, 5, 1)])
    func `a process takes its share of free shards, rounded up`(shards: Int, processes: Int, share: Int) {
        let members = (0..<processes).map { number in
            ClusterMember(process: Incarnation(high: 1, low: UInt64(number + 1)), name: "\(number)", isReady: true)
        }
        var states = Self.free(UInt32(shards))
        var bench = Self.bench(members, states)
        Self.takeAll(&bench, &states)
        #expect(states.count { $0.lease != nil } == share)
    }

    @Test func `when another process joins, shards are handed over one after the other until both have their share`() {
        var states = Self.free(4)
        var bench = Self.bench([Bench.member(Bench.own)], states)
        Self.takeAll(&bench, &states)
        #expect(states.allSatisfy { $0.lease?.holder.process == Bench.own.process })
        bench.tell(.attended([Bench.member(Bench.own), Bench.member(Bench.other)]))
        for shard: UInt32 in [3, 2] {
            #expect(bench.tell(.read(states)) == [.handOver(shard, epoch: 7)])
            #expect(bench.tell(.read(states)).isEmpty, "one at a time")
            bench.tell(.ended(shard, epoch: 7, isFailure: false))
            #expect(bench.next == .release(shard, 7))
            bench.tell(.released(shard, epoch: 7))
            states[Int(shard)] = Bench.free(shard, epoch: 7, change: 3)
            #expect(bench.tell(.read(states)).isEmpty, "until the other has it")
            #expect(bench.next == .wait(until: Bench.at(250)), "and it is not taken again")
            states[Int(shard)] = Bench.leased(shard, epoch: 8, change: 4)
        }
        #expect(bench.tell(.read(states)).isEmpty)
    }

    @Test func `nothing is handed over to a process that is not ready, is being emptied, or has died`() {
        for other in [Bench.member(Bench.other, isReady: false), Bench.member(Bench.other, isDraining: true)] {
            var states = Self.free(2)
            var bench = Self.bench([Bench.member(Bench.own), other], states)
            Self.takeAll(&bench, &states)
            #expect(states.allSatisfy { $0.lease?.holder.process == Bench.own.process })
            #expect(bench.tell(.read(states)).isEmpty)
        }
    }

    @Test func `the shards of a process that died are taken before the others have forgotten it`() throws {
        var states = Self.free(4)
        var bench = Self.bench([Bench.member(Bench.own), Bench.member(Bench.other)], states)
        Self.takeAll(&bench, &states)
        #expect(states.count { $0.lease != nil } == 2)
        for shard: UInt32 in [2, 3] { states[Int(shard)] = Bench.leased(shard, isConnected: false) }
        let probes = bench.tell(.read(states))
        #expect(bench.next == .wait(until: Bench.at(250)))
        for case .probe(let number, _) in probes { bench.tell(.probed(number, isRefused: true)) }
        Self.takeAll(&bench, &states)
        #expect(states.allSatisfy { $0.lease?.holder.process == Bench.own.process })
    }

    @Test func `a process that died gets nothing until the others have forgotten it, or it is back`() {
        var states = Self.free(4)
        states[3].wanted = Bench.other.process
        let both = [Bench.member(Bench.own), Bench.member(Bench.other)]
        var bench = Self.bench(both, states)
        Self.takeAll(&bench, &states)
        for shard in [2, 3] where states[shard].lease == nil {
            states[shard] = Bench.leased(UInt32(shard), isConnected: false)
            states[shard].wanted = shard == 3 ? Bench.other.process : nil
        }
        for case .probe(let number, _) in bench.tell(.read(states)) { bench.tell(.probed(number, isRefused: true)) }
        Self.takeAll(&bench, &states)
        bench.now = 1000
        bench.tell(.attended(both))
        #expect(bench.tell(.read(states)).isEmpty, "its row is there for as long as a lease lasts")
        bench.now = 4100
        bench.tell(.attended(both))
        #expect(bench.tell(.read(states)) == [.handOver(3, epoch: 7)], "it lives")
    }

    @Test func `a process that is being emptied hands over all, but keeps it when nobody else is there`() {
        var states = Self.free(2)
        var bench = Self.bench([Bench.member(Bench.own)], states)
        Self.takeAll(&bench, &states)
        bench.tell(.attended([Bench.member(Bench.own, isDraining: true)]))
        #expect(bench.tell(.read(states)).isEmpty)
        bench.tell(.attended([Bench.member(Bench.own, isDraining: true), Bench.member(Bench.other)]))
        #expect(bench.tell(.read(states)) == [.handOver(1, epoch: 7)])
    }

    @Test func `a guest gets the shard that is wanted for it, and has no share`() {
        var states = Self.free(2)
        var bench = Self.bench([Bench.member(Bench.own)], states)
        Self.takeAll(&bench, &states)
        var guest = Bench.member(Bench.other)
        guest.isGuest = true
        bench.tell(.attended([Bench.member(Bench.own), guest]))
        #expect(bench.tell(.read(states)).isEmpty, "it has no share")
        states[0].wanted = guest.process
        #expect(bench.tell(.read(states)) == [.handOver(0, epoch: 7)])
        bench.tell(.ended(0, epoch: 7, isFailure: false))
        bench.tell(.released(0, epoch: 7))
        states[0].lease = nil
        bench.tell(.read(states))
        #expect(bench.next == .wait(until: Bench.at(250)), "it is left to the guest")
        bench.tell(.attended([Bench.member(Bench.own)]))
        bench.tell(.read(states))
        #expect(bench.next == .acquire(states[0], Bench.own), "who has gone")
    }

    @Test func `one shard alone goes to a guest, and to another process when its own is emptied`() {
        for (isGuest, isDraining) in [(true, false), (false, true)] {
            var bench = Bench.holding()
            var state = Bench.leased(to: Bench.own, epoch: 7, change: 2, remaining: .seconds(4))
            var other = Bench.member(Bench.other)
            other.isGuest = isGuest
            if isGuest { state.wanted = other.process }
            bench.now = 1000
            bench.tell(.attended([Bench.member(Bench.own, isDraining: isDraining), other]))
            #expect(bench.tell(.read([state])) == [.handOver(0, epoch: 7)], "guest: \(isGuest)")
        }
    }

    @Test func `a shard goes to the process that an operator wants, also above its share, while that may get shards`() {
        var states = Self.free(2)
        states[0].wanted = Bench.own.process
        states[1].wanted = Bench.own.process
        var bench = Self.bench([Bench.member(Bench.own), Bench.member(Bench.other)], states)
        Self.takeAll(&bench, &states)
        #expect(states.allSatisfy { $0.lease?.holder.process == Bench.own.process })
        #expect(bench.tell(.read(states)).isEmpty, "it keeps them")
        states[0].wanted = Bench.other.process
        #expect(bench.tell(.read(states)) == [.handOver(0, epoch: 7)])
    }

    @Test func `a shard that another process is wanted for is left to it only while it is there`() {
        var states = Self.free(2)
        states[0].wanted = Bench.other.process
        var bench = Self.bench([Bench.member(Bench.own), Bench.member(Bench.other)], states)
        #expect(bench.next == .acquire(states[1], Bench.own))
        bench = Self.bench([Bench.member(Bench.own)], states)
        #expect(bench.next == .acquire(states[0], Bench.own))
    }

    @Test func `a process whose work fails is not ready until it tries again, and keeps what it has`() {
        var states = Self.free(2)
        var bench = Self.bench([Bench.member(Bench.own)], states)
        Self.takeAll(&bench, &states)
        bench.tell(.ended(1, epoch: 7, isFailure: true))
        #expect(bench.next == .release(1, 7))
        bench.tell(.released(1, epoch: 7))
        #expect(bench.next == .attend(Bench.own, isReady: false))
        bench.tell(.attended([Bench.member(Bench.own, isReady: false), Bench.member(Bench.other)]))
        states[1] = Bench.free(1, epoch: 7, change: 3)
        #expect(bench.tell(.read(states)).isEmpty)
        #expect(bench.next == .wait(until: Bench.at(250)))
    }

    @Test func `a shard that nobody can run is tried again, and says nothing against the process`() {
        var states = Self.free(2)
        var bench = Self.bench([Bench.member(Bench.own)], states)
        Self.takeAll(&bench, &states)
        bench.tell(.unfit(1, epoch: 7))
        #expect(bench.next == .release(1, 7))
        bench.tell(.released(1, epoch: 7))
        states[1] = Bench.free(1, epoch: 7, change: 3)
        bench.tell(.read(states))
        #expect(bench.next == .wait(until: Bench.at(250)), "not at once")
        bench.now = 1000
        bench.tell(.renewed(0, epoch: 7, .kept, asked: Bench.at(1000)))
        bench.tell(.read(states))
        #expect(bench.next == .attend(Bench.own, isReady: true))
        bench.tell(.attended([Bench.member(Bench.own)]))
        bench.tell(.read(states))
        #expect(bench.next == .acquire(states[1], Bench.own))
    }

    @Test func `a shard that another process cannot run is taken also above the share, and its process is not ready`() {
        var states = Self.free(2)
        let both = [Bench.member(Bench.own), Bench.member(Bench.other)]
        var bench = Self.bench(both, states)
        bench.tell(.acquired(states[0], epoch: 7, asked: Bench.at(bench.now)))
        states[0] = Bench.leased(0, to: Bench.own, epoch: 7, change: 2, remaining: .seconds(60))
        bench.tell(.read(states))
        #expect(bench.next == .wait(until: Bench.at(250)), "it has its share")
        bench.now = 4000
        bench.tell(.renewed(0, epoch: 7, .kept, asked: Bench.at(4000)))
        bench.tell(.attended(both))
        bench.tell(.read(states))
        #expect(bench.next == .acquire(states[1], Bench.own))

        bench = Self.bench(both, Self.free(2))
        bench.tell(.acquired(Bench.free(0), epoch: 7, asked: Bench.at(bench.now)))
        bench.tell(.unfit(0, epoch: 7))
        bench.tell(.released(0, epoch: 7))
        bench.tell(.read([Bench.leased(0, epoch: 8, change: 4), Bench.leased(1)]))
        bench.now = 999
        #expect(bench.next == .attend(Bench.own, isReady: false))
    }

    @Test func `a shard that nobody could run is taken at once when another process has run it since, and ended`() {
        var states = Self.free(2)
        var bench = Self.bench([Bench.member(Bench.own)], states)
        Self.takeAll(&bench, &states)
        bench.tell(.unfit(1, epoch: 7))
        bench.tell(.released(1, epoch: 7))
        bench.tell(.read([states[0], Bench.leased(1, epoch: 8, change: 4)]))
        #expect(bench.next == .attend(Bench.own, isReady: false))
        bench.tell(.attended([Bench.member(Bench.own)]))
        states[1] = Bench.free(1, epoch: 8, change: 5)
        bench.tell(.read(states))
        #expect(bench.next == .acquire(states[1], Bench.own))
        // The pause after another failure is longer.
        bench.tell(.acquired(states[1], epoch: 9, asked: Bench.at(bench.now)))
        bench.tell(.unfit(1, epoch: 9))
        bench.tell(.released(1, epoch: 9))
        states[1] = Bench.free(1, epoch: 9, change: 7)
        bench.now = 1999
        states[0].change += 1
        bench.tell(.renewed(0, epoch: 7, .kept, asked: Bench.at(1999)))
        bench.tell(.attended([Bench.member(Bench.own)]))
        bench.tell(.read(states))
        #expect(bench.next == .wait(until: Bench.at(2249)))
        bench.now = 2000
        #expect(bench.next == .acquire(states[1], Bench.own))
    }

    @Test func `a shard that nobody takes for as long as a lease holds up no hand-over`() {
        var states = Self.free(4)
        var bench = Self.bench([Bench.member(Bench.own)], states)
        Self.takeAll(&bench, &states)
        bench.tell(.unfit(3, epoch: 7))
        bench.tell(.released(3, epoch: 7))
        states[3] = Bench.free(3, epoch: 7, change: 3)
        let both = [Bench.member(Bench.own), Bench.member(Bench.other)]
        bench.tell(.attended(both))
        #expect(bench.tell(.read(states)).isEmpty, "the other takes first what is free")
        bench.now = 3999
        bench.tell(.attended(both))
        #expect(bench.tell(.read(states)).isEmpty)
        bench.now = 4000
        bench.tell(.attended(both))
        // The others were renewed.
        for shard in 0..<3 { states[shard].change += 1 }
        #expect(bench.tell(.read(states)) == [.handOver(2, epoch: 7)])
    }

    @Test func `a process that leaves resigns first, then releases what it had`() {
        var states = Self.free(2)
        var bench = Self.bench([Bench.member(Bench.own)], states)
        Self.takeAll(&bench, &states)
        bench.tell(.leave)
        #expect(bench.next == .resign(Bench.own.process))
        bench.tell(.resigned)
        for shard: UInt32 in [0, 1] { bench.tell(.ended(shard, epoch: 7, isFailure: false)) }
        #expect(bench.next == .release(0, 7))
        bench.tell(.released(0, epoch: 7))
        #expect(bench.next == .release(1, 7))
        bench.tell(.released(1, epoch: 7))
        #expect(bench.next == .leave)
    }

    @Test func `a process that holds nothing resigns before it leaves, unless it has no connection`() {
        var bench = Self.bench(
            [Bench.member(Bench.own), Bench.member(Bench.other)], [Bench.leased(0), Bench.leased(1)])
        bench.tell(.leave)
        #expect(bench.next == .resign(Bench.own.process))
        bench.tell(.failed)
        #expect(bench.next == .leave)
    }

    @Test func `a lease that ends while its shard is being handed over ends that, too`() {
        var states = Self.free(2)
        var bench = Self.bench([Bench.member(Bench.own)], states)
        Self.takeAll(&bench, &states)
        bench.tell(.attended([Bench.member(Bench.own), Bench.member(Bench.other)]))
        #expect(bench.tell(.read(states)) == [.handOver(1, epoch: 7)])
        states[1] = Bench.leased(1, epoch: 8)
        #expect(bench.tell(.read(states)) == [.lost(1, epoch: 7)])
        states[0].wanted = Bench.other.process
        #expect(bench.tell(.read(states)) == [.handOver(0, epoch: 7)])
    }
}
