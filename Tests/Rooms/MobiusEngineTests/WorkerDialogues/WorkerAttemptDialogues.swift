import MobiusEngine
import MobiusWire
import Testing

/// Orders, slots and their credit, STALE and CANCEL.
@Suite struct WorkerAttemptDialogues {
    private let first = AttemptID.attempt()
    private let second = AttemptID.attempt(1)

    @Test func ordersAreRun() {
        var bench = WorkerBench.joined()
        #expect(
            bench.play(.says(.effects([first.order("a"), second.order("b")]))) == [
                .run(first.order("a")), .run(second.order("b")),
            ])
    }

    @Test func aRepeatedOrderIsDropped() {
        var bench = WorkerBench.running()
        // Each took a credit and takes no slot.
        #expect(bench.play(.says(.effects([first.order()]))) == [.says(.credit(total: 3))])
        bench.play(.report(first, "done"))
        #expect(bench.play(.says(.effects([first.order()]))) == [.says(.credit(total: 5))], "its report waits")
    }

    @Test func aNewerAttemptReplacesAnOlderOne() {
        var bench = WorkerBench.running()
        let newer = AttemptID.attempt(0, 2)
        #expect(
            bench.play(.says(.effects([newer.order()]))) == [.cancel(first), .run(newer.order())])
        #expect(bench.play(.says(.effects([first.order()]))) == [.says(.credit(total: 3))])
        #expect(bench.play(.report(first, "late")) == [.says(.credit(total: 4))], "one for the order that took no slot")
        #expect(bench.play(.report(newer, "done")) == [.events(credit: 5, newer.event())])
    }

    @Test func attemptsOfALaterEpochAreNewer() {
        var bench = WorkerBench.running()
        bench.play(.report(first, "done"))
        let later = AttemptID.attempt(0, epoch: 2)
        // The older one's handler has ended: nothing to cancel, and its report is forgotten.
        #expect(bench.play(.says(.effects([later.order()]))) == [.run(later.order())])
        #expect(bench.wait(.seconds(1)) == [.heartbeat(credit: 3, held: later.silent)])
    }

    @Test func aFreeSlotIsOneMoreCredit() {
        var bench = WorkerBench.running(2)
        #expect(bench.play(.report(first, "done")) == [.events(credit: 3, first.event())])
        #expect(bench.play(.says(.ack([first.report(1)]))) == [])
        #expect(bench.play(.says(.stale([second]))) == [.cancel(second)])
        #expect(bench.play(.report(second, "late")) == [.says(.credit(total: 4))])
    }

    @Test func aHandlerThatDoesNotStopKeepsItsSlot() {
        var bench = WorkerBench.running(2)
        #expect(bench.play(.says(.stale([first, second]))) == [.cancel(first), .cancel(second)])
        #expect(bench.play(.report(first, "goes on", final: false)) == [])
        #expect(bench.wait(.seconds(1)) == [.heartbeat(credit: 2)])
        #expect(bench.play(.connected) == [bench.hello(credit: 0)])
        bench.play(.welcome(session: 2))
        #expect(
            bench.play(.failed(second, retryable: true, delay: 0, reason: "stopped")) == [
                .says(.credit(total: 1), session: 2)
            ])
    }

    @Test func whatWasWithdrawnBeginsAgainOnlyAfterItsEnd() {
        var bench = WorkerBench.running()
        bench.play(.says(.stale([first])))
        #expect(bench.play(.says(.effects([first.order()]))) == [.says(.credit(total: 3))])
        bench.play(.report(first, nil))
        #expect(bench.play(.says(.effects([first.order()]))) == [.run(first.order())])
    }

    @Test func slotsThatAreTakenAreNotOfferedToANewSession() {
        var bench = WorkerBench.running(2, capacity: 5)
        #expect(bench.play(.connected) == [bench.hello(credit: 3, held: first.silent, second.silent)])
        bench.play(.welcome(session: 2))
        #expect(bench.play(.report(first, "done")) == [.events(credit: 4, first.event(), session: 2)])
    }

    @Test func staleCancelsAndForgets() {
        var bench = WorkerBench.running(2)
        bench.play(.report(second, "done"))
        // What has no handler any more is only forgotten.
        #expect(bench.play(.says(.stale([first, second]))) == [.cancel(first)])
        #expect(bench.play(.report(first, "late")) == [.says(.credit(total: 4))])
        #expect(bench.wait(.seconds(1)) == [.heartbeat(credit: 4)])
    }

    @Test func staleOfAnotherAttemptIsIgnored() {
        var bench = WorkerBench.running()
        #expect(bench.play(.says(.stale([.attempt(0, 2), second]))) == [])
        #expect(bench.play(.report(first, "done")) == [.events(credit: 3, first.event())])
    }

    @Test func whoEndsSilentlyAfterCancelHasFailed() {
        var bench = WorkerBench.running(2)
        bench.play(.says(.cancel([first])))
        // Had the coordinator died before the cancellation was on disk, the next one would take a silent end for success.
        let reason = "it was cancelled"
        #expect(
            bench.play(.report(first, nil)) == [
                .says(.failures(creditTotal: 3, [first.failure(retryable: true, reason)]))
            ])
        bench.play(.says(.cancel([second])), .report(second, "a", final: false))
        #expect(
            bench.play(.report(second, nil)) == [
                .says(.failures(creditTotal: 4, [second.failure(2, retryable: true, reason)]))
            ])
    }

    @Test func anEventAfterCancelIsOne() {
        var bench = WorkerBench.running()
        bench.play(.says(.cancel([first])))
        #expect(bench.play(.report(first, "done")) == [.events(credit: 3, first.event())])
    }

    @Test func anAttemptInAPlaceThatWasUsedBeginsAnew() {
        var bench = WorkerBench.running()
        bench.play(.report(first, "a", final: false), .says(.cancel([first])), .report(first, nil))
        bench.play(.says(.ack([first.report(1), first.report(2)])))
        bench.play(.says(.effects([second.order()])))
        #expect(bench.play(.report(second, nil)) == [.events(credit: 4, second.event(1, nil))])
    }

    @Test func cancelAsksTheHandlerToStopAndHearsHowItEnds() {
        var bench = WorkerBench.running(2)
        bench.play(.report(second, "done"))
        #expect(bench.play(.says(.cancel([first, second, .attempt(7)]))) == [.cancel(first)])
        #expect(
            bench.play(.failed(first, retryable: true, delay: 0, reason: "stopped")) == [
                .says(.failures(creditTotal: 4, [first.failure(retryable: true, "stopped")]))
            ])
    }

    // MARK: How many orders came

    @Test func heartbeatsTellHowManyOrdersCame() {
        var bench = WorkerBench.running(2, capacity: 9)
        bench.wait(.seconds(1))
        #expect(bench.counter.told == OrderCount(sent: 2, received: 2))
        // The third and fourth are lost; the fifth tells of them.
        bench.play(.says(.effects(after: 4, [AttemptID.attempt(4).order()])))
        bench.wait(.seconds(1))
        #expect(bench.counter.told == OrderCount(sent: 5, received: 3))
        // The last ones are lost, and only a pulse tells.
        bench.play(.says(.pulse(sent: 7)))
        bench.wait(.seconds(1))
        #expect(bench.counter.told == OrderCount(sent: 7, received: 3))
        bench.play(.connected, .welcome(session: 2))
        bench.wait(.seconds(1))
        #expect(bench.counter.told == OrderCount())
    }

    @Test func aMessageThatComesTwiceIsDropped() {
        var bench = WorkerBench.joined(capacity: 3)
        let orders = WorkerInput.says(.effects(after: 0, [first.order()]))
        #expect(bench.play(orders, orders) == [.run(first.order())])
        bench.play(.report(first, nil), .says(.ack([first.report(1)])))
        #expect(bench.play(orders) == [], "nor does it begin again")
        #expect(bench.wait(.seconds(1)) == [.heartbeat(credit: 4)])
        #expect(bench.counter.told == OrderCount(sent: 1, received: 1))
    }

    @Test func numbersWithoutEndAreNoOrders() {
        var bench = WorkerBench.joined()
        #expect(bench.handle(.says(.pulse(sent: .max))) == [])
        #expect(bench.play(.says(.effects(after: .max - 1, [first.order(), second.order()]))) == [])
    }
}
