import MobiusEngine
import MobiusJournal
import MobiusWire
import Testing

/// When a process takes a shard, and when it stands by.
@Suite struct LeaseTakingDialogues {
    private typealias Bench = LeaseBench

    @Test func `a process connects, reads, and takes a shard that nobody has`() {
        var bench = Bench()
        #expect(bench.next == .connect)
        #expect(bench.tell(.connected).isEmpty)
        #expect(bench.next == .read)
        #expect(bench.tell(.read([Bench.free()])).isEmpty)
        #expect(bench.next == .acquire(Bench.free(), Bench.own))
        bench.now = 20
        #expect(
            bench.tell(.acquired(Bench.free(), epoch: 7, asked: Bench.at(5)))
                == [.start(0, epoch: 7, until: Bench.at(3005))])
        #expect(bench.machine.epoch(of: 0) == 7)
        #expect(bench.next == .read)
    }

    @Test func `a process stands by while another has the lease, and polls it`() {
        var bench = Bench.reading([Bench.leased()])
        #expect(bench.next == .wait(until: Bench.at(250)))
        bench.now = 249
        #expect(bench.next == .wait(until: Bench.at(250)))
        bench.now = 250
        #expect(bench.next == .read)
        #expect(bench.machine.view == [Bench.leased()])
    }

    @Test(arguments: [Duration.seconds(-3600), .seconds(3), .seconds(4)])
    func `a lease ends when it was not renewed for its time by this process's clock, whatever the database's says`(
        remaining: Duration
    ) {
        let leased = Bench.leased(remaining: remaining)
        var bench = Bench.reading([leased])
        for now in stride(from: 250, through: 3750, by: 250) as StrideThrough<Int64> {
            #expect(bench.next == .wait(until: Bench.at(now)))
            bench.now = now
            bench.attend()
            bench.tell(.read([leased]))
        }
        bench.now = 4000
        bench.tell(.read([leased]))
        #expect(bench.next == .acquire(Bench.leased(remaining: .zero), Bench.own))
    }

    @Test func `a renewal begins the time anew, also when it was not seen by the end of the one before`() {
        var bench = Bench.reading([Bench.leased()])
        bench.now = 10_000
        bench.attend()
        bench.tell(.read([Bench.leased(change: 2, remaining: .seconds(-10))]))
        #expect(bench.next == .wait(until: Bench.at(10_250)))
        bench.now = 14_000
        bench.attend()
        bench.tell(.read([Bench.leased(change: 2)]))
        #expect(bench.next == .acquire(Bench.leased(change: 2, remaining: .zero), Bench.own))
    }

    @Test func `a lease that its holder made longer is waited for, but no longer than any may last`() {
        for (remaining, end) in [(.seconds(9), 9000), (.seconds(86_400), 60_000)] as [(Duration, Int64)] {
            let leased = Bench.leased(remaining: remaining)
            var bench = Bench.reading([leased])
            bench.now = end - 1
            bench.attend()
            bench.tell(.read([leased]))
            #expect(bench.next == .wait(until: Bench.at(end + 249)))
            bench.now = end
            bench.tell(.read([leased]))
            #expect(bench.next == .acquire(Bench.leased(remaining: .zero), Bench.own))
        }
    }

    @Test func `the new epoch is above all that were seen, whatever the database remembers after a failover`() {
        var bench = Bench.reading([Bench.leased(epoch: 50)])
        bench.tell(.read([Bench.free(epoch: 7, change: 2)]))
        #expect(bench.next == .acquire(Bench.free(epoch: 7, change: 2), Bench.own, above: 50))
        bench.tell(.acquired(Bench.free(epoch: 7, change: 2), epoch: 51, asked: Bench.at(0)))
        // What was taken is lost, too.
        bench.tell(.renewed(0, epoch: 51, .lost, asked: Bench.at(0)))
        bench.tell(.read([Bench.free(epoch: 6, change: 2)]))
        #expect(bench.next == .acquire(Bench.free(epoch: 6, change: 2), Bench.own, above: 51))
    }

    @Test func `a shard that cannot be taken is left alone for longer and longer, and stops no other`() {
        let shards = (0..<3).map { Bench.free($0) }
        var bench = Bench.reading(shards)
        #expect(bench.next == .acquire(shards[0], Bench.own))
        bench.tell(.acquired(shards[0], epoch: nil, asked: Bench.at(0)))
        for shard in shards.dropFirst() {
            bench.tell(.read(shards))
            #expect(bench.next == .acquire(shard, Bench.own))
            bench.tell(.acquired(shard, epoch: 7, asked: Bench.at(0)))
        }
        var tried: [Int64] = [0]
        while tried.count < 8 {
            switch bench.next {
            case .acquire(let state, _, _):
                #expect(state == shards[0])
                tried.append(bench.now)
                bench.tell(.acquired(state, epoch: nil, asked: Bench.at(bench.now)))
            case .read: bench.tell(.read(shards))
            case .attend: bench.attend()
            case .renew(let leases):
                for lease in leases {
                    bench.tell(.renewed(lease.shard, epoch: lease.epoch, .kept, asked: Bench.at(bench.now)))
                }
            case .wait(let end): bench.now = end.nanoseconds / 1_000_000
            default:
                Issue.record("\(bench.next)")
                return
            }
        }
        #expect(zip(tried, tried.dropFirst()).map { $1 - $0 } == [250, 500, 1000, 2000, 4000, 4000, 4000])
        // Somebody has changed it.
        let changed = Bench.free(change: 2)
        bench.tell(.read([changed] + shards.dropFirst()))
        #expect(bench.next == .acquire(changed, Bench.own))
    }

    @Test func `a shard whose rows are damaged is left out`() {
        var damaged = Bench.free()
        damaged.isDamaged = true
        var bench = Bench.reading([damaged, Bench.free(1)])
        #expect(bench.next == .acquire(Bench.free(1), Bench.own))
        bench.tell(.acquired(Bench.free(1), epoch: 7, asked: Bench.at(0)))
        bench.tell(.read([damaged, Bench.leased(1, to: Bench.own, epoch: 7, change: 2)]))
        #expect(bench.next == .wait(until: Bench.at(250)))
    }

    @Test func `a process that lost the race reads again before it tries again`() {
        var bench = Bench.reading([Bench.free()])
        #expect(bench.tell(.acquired(Bench.free(), epoch: nil, asked: Bench.at(0))).isEmpty)
        #expect(bench.next == .read)
        bench.tell(.read([Bench.leased()]))
        #expect(bench.next == .wait(until: Bench.at(250)))
        #expect(bench.machine.epoch(of: 0) == nil)
    }

    @Test func `a release that ends a wait is read at once`() {
        var bench = Bench.reading([Bench.leased()])
        bench.now = 10
        #expect(bench.next == .wait(until: Bench.at(250)))
        bench.tell(.woken)
        #expect(bench.next == .read)
        bench.tell(.read([Bench.free(epoch: 5, change: 2)]))
        #expect(bench.next == .acquire(Bench.free(epoch: 5, change: 2), Bench.own))
    }

    @Test func `a taking with an unknown outcome is found in the database, and taken anew`() {
        var bench = Bench.reading([Bench.free()])
        #expect(bench.next == .acquire(Bench.free(), Bench.own))
        #expect(bench.tell(.failed).isEmpty)
        #expect(bench.machine.epoch(of: 0) == nil)
        bench.now = 250
        #expect(bench.next == .connect)
        bench.tell(.connected)
        #expect(bench.next == .read, "what was read before says nothing any more")
        let own = Bench.leased(to: Bench.own, epoch: 7, change: 2)
        #expect(bench.tell(.read([own])).isEmpty)
        #expect(bench.next == .acquire(own, Bench.own))
        #expect(
            bench.tell(.acquired(own, epoch: 8, asked: Bench.at(250)))
                == [.start(0, epoch: 8, until: Bench.at(3250))])
    }

    @Test func `a taking whose answer was late is renewed at once, and not trusted until then`() {
        var bench = Bench.reading([Bench.free()])
        bench.now = 3500
        #expect(
            bench.tell(.acquired(Bench.free(), epoch: 7, asked: Bench.at(0)))
                == [.start(0, epoch: 7, until: Bench.at(3000))])
        #expect(bench.next == Bench.renew(0, 7, Bench.own))
    }

    // MARK: - Before its end

    private let silent = Bench.leased(isConnected: false)

    @Test func `a lease is taken early when its holder is not connected and refuses connections`() {
        var bench = Bench()
        bench.tell(.connected)
        #expect(bench.tell(.read([silent])) == [.probe(1, endpoint: "tcp://other:1")])
        #expect(bench.next == .wait(until: Bench.at(250)))
        bench.tell(.probed(1, isRefused: true))
        #expect(bench.next == .acquire(silent, Bench.own))
    }

    @Test func `a lease is not taken early on one sign alone`() {
        var bench = Bench()
        bench.tell(.connected)
        bench.tell(.read([silent]))
        bench.tell(.probed(1, isRefused: false))
        #expect(bench.next == .wait(until: Bench.at(250)))
        bench.tell(.probed(9, isRefused: true))
        #expect(bench.next == .wait(until: Bench.at(250)), "an answer to nothing")
        // Connected again: what was refused counts no more.
        bench.now = 250
        #expect(bench.tell(.read([silent])) == [.probe(2, endpoint: "tcp://other:1")])
        bench.tell(.read([Bench.leased()]))
        bench.tell(.probed(2, isRefused: true))
        #expect(bench.next == .wait(until: Bench.at(500)))
    }

    @Test func `a renewal after the probe is a sign of life`() {
        var bench = Bench()
        bench.tell(.connected)
        bench.tell(.read([silent]))
        #expect(
            bench.tell(.read([Bench.leased(change: 2, isConnected: false)])) == [.probe(2, endpoint: "tcp://other:1")])
        bench.tell(.probed(1, isRefused: true))
        #expect(bench.next == .wait(until: Bench.at(250)))
        bench.tell(.probed(2, isRefused: true))
        #expect(bench.next == .acquire(Bench.leased(change: 2, isConnected: false), Bench.own))
    }

    @Test func `one probe is under way at a time, and one that was answered is repeated`() {
        var bench = Bench()
        bench.tell(.connected)
        #expect(bench.tell(.read([silent])).count == 1)
        #expect(bench.tell(.read([silent])).isEmpty)
        bench.tell(.probed(1, isRefused: false))
        #expect(bench.tell(.read([silent])) == [.probe(2, endpoint: "tcp://other:1")])
        bench.tell(.probed(2, isRefused: true))
        #expect(bench.tell(.read([silent])).isEmpty)
        #expect(bench.next == .acquire(silent, Bench.own))
    }

    @Test func `a probe of one shard says nothing of another that was changed as often`() {
        var bench = Bench()
        bench.tell(.connected)
        let third = LeaseHolder(process: Incarnation(high: 3, low: 3), name: "third", workers: "tcp://third:1")
        bench.tell(.attended([Bench.member(Bench.own)]))
        let (first, second) = (silent, Bench.leased(1, to: third, isConnected: false))
        #expect(
            bench.tell(.read([first, second]))
                == [.probe(1, endpoint: "tcp://other:1"), .probe(2, endpoint: "tcp://third:1")])
        bench.tell(.probed(2, isRefused: true))
        #expect(bench.next == .acquire(second, Bench.own))
        bench.tell(.acquired(second, epoch: 6, asked: Bench.at(0)))
        #expect(bench.tell(.read([first])).isEmpty)
        #expect(bench.next == .wait(until: Bench.at(250)))
    }

    @Test func `a holder that serves nothing yet is not probed`() {
        var bench = Bench()
        bench.tell(.connected)
        let starting = LeaseHolder(process: Bench.other.process, name: "other")
        #expect(bench.tell(.read([Bench.leased(to: starting, isConnected: false)])).isEmpty)
        #expect(bench.next == .wait(until: Bench.at(250)))
    }
}
