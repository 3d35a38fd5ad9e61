import MobiusEngine
import MobiusJournal
import MobiusWire
import Testing

/// How a process keeps a lease, and how it loses it.
@Suite struct LeaseHoldingDialogues {
    private typealias Bench = LeaseBench

    @Test func `a lease is renewed a second after the beginning of its last renewal`() {
        var bench = Bench.holding()
        #expect(bench.next == .wait(until: Bench.at(250)))
        bench.now = 999
        bench.tell(.read([]))
        #expect(bench.next == .wait(until: Bench.at(1000)))
        bench.now = 1000
        #expect(bench.next == Bench.renew(0, 7, Bench.own))
        bench.now = 1400
        bench.tell(.renewed(0, epoch: 7, .kept, asked: Bench.at(1000)))
        bench.attend()
        bench.tell(.read([]))
        bench.now = 1990
        bench.tell(.read([]))
        #expect(bench.next == .wait(until: Bench.at(2000)))
        bench.now = 2000
        #expect(bench.next == Bench.renew(0, 7, Bench.own))
    }

    @Test func `trust counts from the beginning of a renewal, however late its answer comes`() {
        var bench = Bench.holding()
        bench.now = 3900
        #expect(
            bench.tell(.renewed(0, epoch: 7, .kept, asked: Bench.at(1000)))
                == [.trust(0, until: Bench.at(4000))])
        #expect(bench.next == Bench.renew(0, 7, Bench.own))
    }

    @Test func `a renewal that is refused drops the shard, which is then read before all else`() {
        var bench = Bench.holding()
        bench.now = 1000
        #expect(
            bench.tell(.renewed(0, epoch: 7, .lost, asked: Bench.at(1000))) == [.lost(0, epoch: 7)])
        #expect(bench.machine.epoch(of: 0) == nil)
        bench.attend()
        #expect(bench.next == .read)
        // Its end is no news, and is not released: it is another's.
        bench.tell(.ended(0, epoch: 7, isFailure: false))
        bench.tell(.read([Bench.leased(epoch: 9)]))
        #expect(bench.next == .wait(until: Bench.at(1250)))
    }

    @Test func `sixty-four leases are kept, and the rest goes on, however slow the database is`() {
        for slow in [20, 125, 500, 900] as [Int64] {
            let all = (0..<65 as Range<UInt32>).map { Bench.free($0) }
            var bench = Bench.reading(all)
            var (trust, states) = ([Int64](repeating: .max, count: 65), all)
            var counts: [String: Int] = [:]
            func lease(_ shard: UInt32) -> ShardState {
                Bench.leased(shard, to: Bench.own, epoch: 7, change: UInt64(bench.now))
            }
            var end = Int64.max
            while bench.now < end {
                let (step, asked) = (bench.next, Bench.at(bench.now))
                if case .wait(let until) = step {
                    bench.now = until.nanoseconds / 1_000_000
                    continue
                }
                if end == .max, states.dropLast().allSatisfy({ $0.lease != nil }) { end = bench.now + 60_000 }
                bench.now += slow
                switch step {
                case .read: bench.tell(.read(states))
                case .attend: bench.tell(.attended([Bench.member(Bench.own)]))
                case .acquire(let state, _, _):
                    // The last one is always another's first.
                    let isOwn = state.shard < 64
                    bench.tell(.acquired(state, epoch: isOwn ? 7 : nil, asked: asked))
                    if isOwn { states[Int(state.shard)] = lease(state.shard) }
                    if isOwn { trust[Int(state.shard)] = asked.nanoseconds / 1_000_000 + 3000 }
                case .renew(let leases):
                    for lease in leases {
                        bench.tell(.renewed(lease.shard, epoch: lease.epoch, .kept, asked: asked))
                        trust[Int(lease.shard)] = asked.nanoseconds / 1_000_000 + 3000
                    }
                default:
                    Issue.record("\(step)")
                    return
                }
                if end < .max { counts["\(step)".prefix { $0 != "(" }.description, default: 0] += 1 }
                #expect(trust.allSatisfy { $0 > bench.now }, "\(slow) ms: \(step)")
            }
            for step in ["renew", "read", "attend", "acquire"] { #expect(counts[step, default: 0] >= 5, "\(counts)") }
        }
    }

    @Test func `leases are renewed at once, the most urgent first; those that are due later go by themselves`() {
        var bench = Bench.reading((0..<3).map { Bench.free($0) })
        for (shard, asked) in [(0, 700), (1, 0), (2, 100)] as [(UInt32, Int64)] {
            bench.tell(.acquired(Bench.free(shard), epoch: 7, asked: Bench.at(asked)))
        }
        bench.now = 1000
        #expect(bench.next == .renew([LeaseRenewal(1, 7, Bench.own), LeaseRenewal(2, 7, Bench.own)]))
    }

    @Test func `a renewal that another transaction holds up is tried again soon, and says nothing of the lease`() {
        var bench = Bench.holding()
        bench.now = 1000
        #expect(bench.tell(.renewed(0, epoch: 7, .delayed, asked: Bench.at(1000))) == [])
        bench.attend()
        bench.tell(.read([]))
        #expect(bench.next == .wait(until: Bench.at(1250)))
        bench.now = 1250
        bench.tell(.read([]))
        #expect(bench.next == Bench.renew(0, 7, Bench.own))
    }

    @Test func `a shard of which a worker has seen a later epoch ends in order, and is taken under a later one`() {
        var bench = Bench.holding()
        #expect(bench.tell(.outranked(0, epoch: 6, by: 90)).isEmpty, "an earlier turn")
        #expect(bench.tell(.outranked(0, epoch: 7, by: 1 << 62)).isEmpty, "there are no epochs after it")
        #expect(bench.tell(.outranked(0, epoch: 7, by: 90)) == [.handOver(0, epoch: 7)])
        #expect(bench.tell(.outranked(0, epoch: 7, by: 91)).isEmpty)
        bench.tell(.ended(0, epoch: 7, isFailure: false))
        #expect(bench.next == .read, "it is not released for others, who do not know it")
        let own = Bench.leased(to: Bench.own, epoch: 7, change: 2)
        bench.tell(.read([own]))
        #expect(bench.next == .acquire(own, Bench.own, above: 90))
        bench.tell(.acquired(own, epoch: 92, asked: Bench.at(0)))
        #expect(bench.tell(.outranked(0, epoch: 92, by: 93)).isEmpty, "not again and again")
        bench.now = 64_000
        #expect(bench.tell(.outranked(0, epoch: 92, by: 93)) == [.handOver(0, epoch: 92)])
    }

    @Test func `a shard that is read under a newer epoch is lost`() {
        var bench = Bench.holding()
        #expect(bench.tell(.read([Bench.leased(epoch: 7)])).isEmpty)
        #expect(bench.tell(.read([Bench.leased(epoch: 8)])) == [.lost(0, epoch: 7)])
        #expect(bench.tell(.read([Bench.leased(epoch: 8)])).isEmpty)
    }

    @Test func `an answer about an earlier epoch changes nothing`() {
        var bench = Bench.holding()
        #expect(bench.tell(.renewed(0, epoch: 6, .kept, asked: Bench.at(0))).isEmpty)
        #expect(bench.tell(.renewed(0, epoch: 6, .lost, asked: Bench.at(0))).isEmpty)
        bench.tell(.ended(0, epoch: 6, isFailure: false))
        bench.tell(.serves(0, epoch: 6, workers: "tcp://old:1", clients: ""))
        #expect(bench.machine.epoch(of: 0) == 7)
        bench.now = 1000
        #expect(bench.next == Bench.renew(0, 7, Bench.own))
    }

    @Test func `endpoints are published by a renewal at once, and by all later ones`() {
        var bench = Bench.holding()
        bench.now = 10
        bench.tell(.serves(0, epoch: 7, workers: "tcp://own:1", clients: "tcp://own:2"))
        let published = Bench.own(workers: "tcp://own:1", clients: "tcp://own:2")
        #expect(bench.next == Bench.renew(0, 7, published))
        bench.tell(.renewed(0, epoch: 7, .kept, asked: Bench.at(10)))
        bench.tell(.read([]))
        bench.now = 1010
        #expect(bench.next == Bench.renew(0, 7, published))
        // An end of an earlier epoch does not unpublish them.
        bench.tell(.ended(0, epoch: 6, isFailure: false))
        #expect(bench.next == Bench.renew(0, 7, published))
    }

    @Test func `endpoints that came during a renewal are published by another one`() {
        var bench = Bench.holding()
        bench.now = 1020
        bench.tell(.serves(0, epoch: 7, workers: "tcp://own:1", clients: ""))
        bench.tell(.renewed(0, epoch: 7, .kept, asked: Bench.at(1000)))
        bench.attend()
        bench.tell(.read([]))
        #expect(bench.next == Bench.renew(0, 7, Bench.own(workers: "tcp://own:1")))
    }

    @Test func `the endpoints of an earlier epoch are not published with a new one`() {
        var bench = Bench.holding()
        bench.tell(.serves(0, epoch: 7, workers: "tcp://own:1", clients: ""))
        bench.tell(.renewed(0, epoch: 7, .lost, asked: Bench.at(0)))
        bench.tell(.read([Bench.free(epoch: 8, change: 4)]))
        #expect(bench.next == .acquire(Bench.free(epoch: 8, change: 4), Bench.own))
        bench.tell(.acquired(Bench.free(epoch: 8, change: 4), epoch: 9, asked: Bench.at(0)))
        bench.now = 1000
        #expect(bench.next == Bench.renew(0, 9, Bench.own))
    }

    // MARK: - The connection

    @Test func `a connection that is back within the trust renews before all else`() {
        var bench = Bench.holding()
        bench.now = 1000
        #expect(bench.tell(.failed).isEmpty)
        #expect(bench.next == .wait(until: Bench.at(1250)))
        bench.now = 1250
        #expect(bench.next == .connect)
        bench.tell(.connected)
        #expect(bench.next == Bench.renew(0, 7, Bench.own))
        #expect(
            bench.tell(.renewed(0, epoch: 7, .kept, asked: Bench.at(1250)))
                == [.trust(0, until: Bench.at(4250))])
    }

    @Test func `a connection that is back after the trust keeps a lease that nobody took`() {
        var bench = Bench.holding()
        bench.tell(.failed)
        bench.now = 60_000
        #expect(bench.next == .connect)
        bench.tell(.connected)
        #expect(bench.next == Bench.renew(0, 7, Bench.own))
        #expect(
            bench.tell(.renewed(0, epoch: 7, .kept, asked: Bench.at(60_000)))
                == [.trust(0, until: Bench.at(63_000))])
    }

    @Test func `a connection that is back after the trust loses a lease that another took`() {
        var bench = Bench.holding()
        bench.tell(.failed)
        bench.now = 60_000
        bench.tell(.connected)
        #expect(
            bench.tell(.renewed(0, epoch: 7, .lost, asked: Bench.at(60_000))) == [.lost(0, epoch: 7)])
    }

    @Test func `connections are tried less and less often, but twice in a lease's time`() {
        var bench = Bench.holding()
        var pauses: [Int64] = []
        for _ in 0..<8 {
            bench.tell(.failed)
            guard case .wait(let end) = bench.next else { break }
            pauses.append(end.nanoseconds / 1_000_000 - bench.now)
            bench.now = end.nanoseconds / 1_000_000
            #expect(bench.next == .connect)
        }
        #expect(pauses == [250, 500, 1000, 2000, 2000, 2000, 2000, 2000])
        bench.tell(.connected)
        bench.tell(.failed)
        #expect(bench.next == .wait(until: Bench.at(bench.now + 250)))
    }

    // MARK: - Failures of the work

    @Test func `a shard whose work failed is released, and left to others for longer and longer`() {
        var bench = Bench.reading([Bench.free()])
        var pauses: [Int64] = []
        for epoch in 1...9 as ClosedRange<UInt64> {
            bench.tell(.acquired(Bench.free(), epoch: epoch, asked: Bench.at(bench.now)))
            bench.tell(.ended(0, epoch: epoch, isFailure: true))
            #expect(bench.next == .release(0, epoch))
            bench.tell(.released(0, epoch: epoch))
            let start = bench.now
            while true {
                bench.attend()
                if bench.next == .read { bench.tell(.read([Bench.free()])) }
                guard case .wait(let end) = bench.next else { break }
                bench.now = end.nanoseconds / 1_000_000
            }
            #expect(bench.next == .acquire(Bench.free(), Bench.own, above: epoch))
            pauses.append(bench.now - start)
        }
        #expect(pauses == [1000, 2000, 4000, 8000, 16_000, 32_000, 32_000, 32_000, 32_000])
    }

    @Test func `work that failed long ago is forgotten`() {
        var bench = Bench.holding()
        bench.tell(.ended(0, epoch: 7, isFailure: true))
        bench.tell(.released(0, epoch: 7))
        bench.now = 100_000
        bench.tell(.acquired(Bench.free(), epoch: 8, asked: Bench.at(100_000)))
        bench.tell(.ended(0, epoch: 8, isFailure: true))
        bench.tell(.released(0, epoch: 8))
        bench.now = 101_000
        bench.attend()
        bench.tell(.read([Bench.free()]))
        #expect(bench.next == .acquire(Bench.free(), Bench.own, above: 8))
    }

    @Test func `work that ended without a failure may be taken again at once`() {
        var bench = Bench.holding()
        bench.tell(.ended(0, epoch: 7, isFailure: false))
        #expect(bench.next == .release(0, 7))
        bench.tell(.released(0, epoch: 7))
        #expect(bench.next == .read, "what was read before shows the own lease")
        bench.tell(.read([Bench.free(epoch: 7, change: 3)]))
        #expect(bench.next == .acquire(Bench.free(epoch: 7, change: 3), Bench.own))
    }
}
