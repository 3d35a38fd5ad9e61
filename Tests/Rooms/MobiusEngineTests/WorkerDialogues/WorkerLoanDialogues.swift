import MobiusEngine
import MobiusWire
import Testing

/// A worker machine of one of several shards, whose slots are lent.
@Suite struct WorkerLoanDialogues {
    /// A machine in its first session that has been lent so many slots.
    private static func borrower(of slots: Int, capacity: Int = 2) -> WorkerBench {
        var bench = WorkerBench(capacity: capacity)
        bench.machine.borrow(all: false)
        bench.play(.connected, .welcome())
        bench.machine.lend(slots)
        bench.play()
        return bench
    }

    private static let order = AttemptID.attempt(0)

    @Test func `slots come back when the coordinator has given them back, and no more than are unused`() {
        var bench = Self.borrower(of: 2)
        bench.play(.says(.effects([Self.order.order()])))
        let asked = bench.machine.giveBack(2, at: bench.now)
        #expect(asked == [.says(.reclaim(number: 1, credits: 1))])
        #expect(bench.machine.account.claimed == 1 && bench.machine.account.allotment == 2)
        bench.play(.says(.reclaimed(number: 1, total: .max)))
        #expect(bench.machine.account.claimed == 0 && bench.machine.account.allotment == 1)
    }

    @Test func `an answer is asked for again with each heartbeat, and counts once`() {
        var bench = Self.borrower(of: 2)
        _ = bench.machine.giveBack(2, at: bench.now)
        #expect(bench.wait(.seconds(1)).contains(.says(.reclaim(number: 1, credits: 2))))
        bench.play(.says(.reclaimed(number: 1, total: 1)), .says(.reclaimed(number: 1, total: 2)))
        #expect(bench.machine.account.allotment == 1)
    }

    @Test func `without a session nothing is promised: slots come back at once, also those that were asked back`() {
        var bench = Self.borrower(of: 2)
        #expect(bench.machine.giveBack(1, at: bench.now) == [.says(.reclaim(number: 1, credits: 1))])
        bench.play(.says(.drain(.wait)))
        #expect(bench.machine.account.claimed == 0)
        var broker = SlotBroker(capacity: 2)
        let other = SlotAccount(isJoined: true, allotment: 0, running: 0, wanted: 2, claimed: 0)
        #expect(broker.moves([bench.machine.account, other]) == [.askBack(shard: 0, slots: 2)])
        #expect(bench.machine.giveBack(2, at: bench.now) == [])
        #expect(bench.machine.account.allotment == 0)
        #expect(broker.moves([bench.machine.account, other]) == [.lend(shard: 1, slots: 2)])
    }

    @Test func `a shard whose reports nobody acknowledges leaves its unused slots to others`() {
        var bench = Self.borrower(of: 2)
        bench.play(.says(.wanted(1)), .says(.effects([Self.order.order()])))
        var broker = SlotBroker(capacity: 2)
        let other = SlotAccount(isJoined: true, allotment: 0, running: 0, wanted: 1, claimed: 0)
        #expect(broker.moves([bench.machine.account, other]) == [], "it wants them itself")
        let large = Payload.news(String(repeating: "x", count: 4 << 20))
        for _ in 0..<16 { bench.play(.report(Self.order, event: large, final: false)) }
        #expect(broker.moves([bench.machine.account, other]) == [.askBack(shard: 0, slots: 1)])
        bench.play(.says(.ack((1...16).map { Self.order.report($0) })))
        #expect(broker.moves([bench.machine.account, other]) == [])
    }

    @Test func `an order that found no slot is listed as missing before another effect can take the next slot`() {
        var bench = Self.borrower(of: 0)
        #expect(bench.play(.says(.effects([Self.order.order()]))).contains(.run(Self.order.order())) == false)
        #expect(bench.machine.account.wanted == 1)
        bench.machine.lend(1)
        #expect(bench.play() == [.heartbeat(credit: 2)])
        #expect(bench.play(.says(.effects([Self.order.order()]))).contains(.run(Self.order.order())))
    }
}
