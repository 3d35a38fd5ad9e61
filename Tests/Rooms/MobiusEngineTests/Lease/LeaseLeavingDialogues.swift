import MobiusEngine
import MobiusJournal
import MobiusWire
import Testing

/// How a process leaves, and what numbers of others cannot do.
@Suite struct LeaseLeavingDialogues {
    private typealias Bench = LeaseBench

    @Test func `a process that holds nothing leaves at once`() {
        var bench = Bench.reading([Bench.free()])
        bench.tell(.leave)
        #expect(bench.next == .leave)
    }

    @Test func `a process that holds nothing and has no connection leaves at once`() {
        var bench = Bench()
        bench.tell(.failed)
        bench.tell(.leave)
        #expect(bench.next == .leave)
    }

    @Test func `a process that leaves renews until its work has ended, then releases, and takes nothing more`() {
        var bench = Bench.holding()
        bench.tell(.leave)
        bench.now = 1000
        #expect(bench.next == Bench.renew(0, 7, Bench.own))
        bench.tell(.renewed(0, epoch: 7, .kept, asked: Bench.at(1000)))
        bench.tell(.read([Bench.leased(to: Bench.own, epoch: 7, change: 3), Bench.free(1)]))
        #expect(bench.next == .wait(until: Bench.at(1250)))
        bench.tell(.ended(0, epoch: 7, isFailure: false))
        #expect(bench.next == .release(0, 7))
        bench.tell(.released(0, epoch: 7))
        #expect(bench.next == .leave)
    }

    @Test func `a shard whose taking is under way when the process leaves is not started, but released`() {
        var bench = Bench.reading([Bench.free()])
        #expect(bench.next == .acquire(Bench.free(), Bench.own))
        bench.tell(.leave)
        #expect(bench.tell(.acquired(Bench.free(), epoch: 7, asked: Bench.at(0))).isEmpty)
        #expect(bench.next == .release(0, 7))
        bench.tell(.released(0, epoch: 7))
        #expect(bench.next == .leave)
    }

    @Test func `a taking with an unknown outcome does not keep a process from leaving`() {
        var bench = Bench.reading([Bench.free()])
        bench.tell(.leave)
        bench.tell(.failed)
        #expect(bench.next == .leave)
    }

    @Test func `a release is repeated after a lost connection`() {
        var bench = Bench.holding()
        bench.tell(.ended(0, epoch: 7, isFailure: false))
        bench.tell(.leave)
        #expect(bench.next == .release(0, 7))
        bench.tell(.failed)
        #expect(bench.next == .wait(until: Bench.at(250)))
        bench.now = 250
        #expect(bench.next == .connect)
        bench.tell(.connected)
        #expect(bench.next == .release(0, 7))
        bench.tell(.released(0, epoch: 7))
        #expect(bench.next == .leave)
    }

    @Test func `a lease that is lost while the process leaves needs no release`() {
        var bench = Bench.holding()
        bench.tell(.leave)
        #expect(bench.tell(.read([Bench.leased(epoch: 8)])) == [.lost(0, epoch: 7)])
        #expect(bench.next == .leave)
    }

    @Test func `a process that leaves probes nobody`() {
        var bench = Bench.holding()
        bench.tell(.leave)
        #expect(bench.tell(.read([Bench.leased(1, isConnected: false)])).isEmpty)
    }

    // MARK: - Hostile numbers

    @Test(arguments: [Duration.seconds(Int64.max), .seconds(Int64.min), .nanoseconds(Int64.max), .zero])
    func `no remaining time of others makes it trap, or wait longer`(remaining: Duration) {
        var bench = Bench()
        bench.tell(.connected)
        let state = Bench.leased(
            epoch: .max, change: .max, remaining: remaining, isConnected: remaining == .seconds(Int64.max))
        bench.tell(.read([state]))
        #expect(bench.next == .wait(until: Bench.at(250)))
        // As long as the longest lease at most.
        bench.now = remaining > .zero ? 60_000 : 4000
        bench.attend()
        bench.tell(.read([state]))
        #expect(
            bench.next
                == .acquire(
                    Bench.leased(
                        epoch: .max, change: .max, remaining: .zero,
                        isConnected: state.lease?.isConnected == true), Bench.own))
    }

    @Test func `the newest epoch may be the last number`() {
        var bench = Bench.reading([Bench.free(epoch: .max - 1, change: .max)])
        bench.tell(.acquired(Bench.free(epoch: .max - 1, change: .max), epoch: .max, asked: Bench.at(0)))
        #expect(bench.machine.epoch(of: 0) == .max)
        #expect(bench.tell(.read([Bench.leased(to: Bench.own, epoch: .max)])).isEmpty)
        bench.now = 1000
        #expect(bench.next == Bench.renew(0, .max, Bench.own))
        bench.tell(.ended(0, epoch: .max, isFailure: false))
        #expect(bench.next == .release(0, .max))
    }

    @Test func `a shard that is listed twice is run once`() {
        var bench = Bench.reading([Bench.free(), Bench.free()])
        bench.tell(.acquired(Bench.free(), epoch: 7, asked: Bench.at(0)))
        bench.tell(.read([Bench.free(epoch: 7), Bench.free(epoch: 7)]))
        #expect(bench.next == .wait(until: Bench.at(250)))
    }

    @Test func `moments at both ends of time do not trap`() {
        var bench = Bench()
        for moment in [Int64.min, .max] {
            bench.machine = LeaseMachine(Bench.own)
            let now = Moment(nanoseconds: moment)
            for input: LeaseInput in [
                .connected, .read([Bench.free()]), .acquired(Bench.free(), epoch: 7, asked: now),
                .renewed(0, epoch: 7, .kept, asked: now), .failed, .failed, .connected,
                .ended(0, epoch: 7, isFailure: true), .failed,
            ] {
                _ = bench.machine.handle(input, at: now)
                _ = bench.machine.next(at: now)
            }
            #expect(bench.machine.epoch(of: 0) == nil)
        }
    }

    @Test func `many shards are taken and released one after the other, and renewed at once`() {
        let states = (0..<200).map { Bench.free($0) }
        var bench = Bench.reading(states)
        var taken: [UInt32] = []
        while case .acquire(let state, _, _) = bench.next {
            bench.tell(.acquired(state, epoch: UInt64(state.shard) + 1, asked: Bench.at(bench.now)))
            taken.append(state.shard)
            #expect(bench.next == .read)
            bench.tell(.read(states))
        }
        #expect(taken == Array(0..<200))
        bench.now = 1000
        #expect(bench.next == .renew((0..<200).map { LeaseRenewal($0, UInt64($0) + 1, Bench.own) }))
        for shard in 0..<200 as Range<UInt32> {
            bench.tell(.renewed(shard, epoch: UInt64(shard) + 1, .kept, asked: Bench.at(bench.now)))
        }
        bench.tell(.leave)
        #expect(bench.next == .resign(Bench.own.process))
        bench.tell(.resigned)
        for shard in 0..<200 as Range<UInt32> { bench.tell(.ended(shard, epoch: UInt64(shard) + 1, isFailure: false)) }
        while case .release(let shard, let epoch, _) = bench.next { bench.tell(.released(shard, epoch: epoch)) }
        #expect(bench.next == .leave)
    }
}
