import MobiusEngine
import MobiusJournal
import Testing

/// What a process that stands by makes of a database that has lost the newest taking of a lease.
struct LeaseFailoverDialogues {
    private typealias Bench = LeaseBench

    /// The owner's lease has ended, as was seen; another process took it, which was not seen; and a replica without that taking takes over.
    private static func afterFailover(isConnected: Bool) -> Bench {
        var bench = Bench.reading([Bench.leased(isConnected: isConnected)])
        bench.now = 4000
        bench.tell(.failed)
        bench.now = 4500
        bench.tell(.connected)
        return bench
    }

    @Test("a lease that had ended before a failover is waited for again, because another may have taken it")
    func anotherMayHaveTakenIt() {
        var bench = Self.afterFailover(isConnected: true)
        for now in stride(from: 4500, to: 8500, by: 250) as StrideTo<Int64> {
            bench.now = now
            bench.attend()
            bench.tell(.read([Bench.leased(remaining: .seconds(-1))]))
            #expect(bench.next == .wait(until: Bench.at(now + 250)))
        }
        bench.now = 8500
        bench.tell(.read([Bench.leased(remaining: .seconds(-5))]))
        #expect(bench.next == .acquire(Bench.leased(remaining: .zero), Bench.own))
    }

    @Test func `the death of the earlier owner says nothing of one whose taking was lost`() {
        var bench = Self.afterFailover(isConnected: false)
        let silent = Bench.leased(isConnected: false)
        #expect(bench.tell(.read([silent])).isEmpty, "the probe from before goes on")
        bench.tell(.probed(1, isRefused: true))
        bench.attend()
        #expect(bench.next == .wait(until: Bench.at(4750)))
        bench.now = 8500
        bench.attend()
        bench.tell(.read([silent]))
        #expect(bench.next == .acquire(Bench.leased(remaining: .zero, isConnected: false), Bench.own))
    }

    @Test func `a lease that is renewed after the failover goes on`() {
        var bench = Self.afterFailover(isConnected: true)
        bench.tell(.read([Bench.leased(remaining: .seconds(-1))]))
        bench.now = 8500
        bench.attend()
        bench.tell(.read([Bench.leased(change: 2)]))
        #expect(bench.next == .wait(until: Bench.at(8750)))
    }
}
