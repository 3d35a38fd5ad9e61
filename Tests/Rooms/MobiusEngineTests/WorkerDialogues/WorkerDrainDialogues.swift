import MobiusEngine
import MobiusWire
import Testing

/// The orderly end of a worker: take nothing more, finish, flush, BYE.
@Suite struct WorkerDrainDialogues {
    private let first = AttemptID.attempt()
    private let second = AttemptID.attempt(1)
    private let drain = WorkerInput.drain(deadline: .seconds(20))

    @Test func withoutWorkItLeavesAtOnce() {
        var bench = WorkerBench.joined()
        #expect(
            bench.play(drain) == [.note(.draining(held: 0)), .draining(), .says(.bye), .exit(.drained)])
        #expect(bench.play(.tick, .welcome(), drain) == [])
    }

    @Test func withoutASessionItLeavesWithoutAWord() {
        var bench = WorkerBench()
        #expect(bench.play(drain) == [.note(.draining(held: 0)), .exit(.drained)])
    }

    @Test func whatIsHeldIsFinishedAndAcknowledgedFirst() {
        var bench = WorkerBench.running()
        #expect(bench.play(drain) == [.note(.draining(held: 1)), .draining(held: first.silent)])
        #expect(bench.play(drain) == [])
        #expect(bench.play(.report(first, "done")) == [.events(credit: 3, first.event())])
        #expect(bench.play(.says(.ack([first.report(1)]))) == [.says(.bye), .exit(.drained)])
    }

    @Test func ordersThatComeLateAreDroppedAndTheListIsSaidAgain() {
        var bench = WorkerBench.running()
        bench.play(drain)
        #expect(bench.play(.says(.effects([second.order()]))) == [.draining(held: first.silent)])
        #expect(bench.wait(.seconds(1)) == [.heartbeat(credit: 2, held: first.silent)])
    }

    @Test func anewSessionHearsOfItAgainAndGetsNoCredit() {
        var bench = WorkerBench.running()
        bench.play(drain)
        #expect(bench.play(.connected) == [bench.hello(credit: 0, held: first.silent)])
        #expect(
            bench.play(.welcome(session: 2)) == [
                .note(.joined(epoch: 1, session: 2)), .draining(held: first.silent, session: 2),
            ])
    }

    @Test func reportsAreFlushedInTheNextSession() {
        var bench = WorkerBench.running()
        bench.play(drain, .connected)
        #expect(bench.play(.report(first, "done")) == [])
        #expect(
            bench.play(.welcome(session: 2)) == [
                .note(.joined(epoch: 1, session: 2)), .events(credit: 1, first.event(), session: 2),
                .draining(held: first.heard(0), session: 2),
            ])
        #expect(
            bench.play(.says(.ack([first.report(1)]), session: 2)) == [
                .says(.bye, session: 2), .exit(.drained),
            ])
    }

    @Test func atTheDeadlineItGivesUp() {
        var bench = WorkerBench.running(2)
        bench.play(.drain(deadline: .seconds(2.5)), .report(second, "done"))
        bench.wait(.seconds(2))
        #expect(bench.machine.nextDeadline == .seconds(2.5))
        #expect(bench.wait(.seconds(0.5)) == [.cancel(first)])
        #expect(
            bench.play(.report(first, "too late")) == [
                .says(.credit(total: 4)), .says(.bye), .exit(.gaveUp(attempts: 2)),
            ])
    }

    @Test func aHandlerThatDoesNotStopIsWaitedForBriefly() {
        var bench = WorkerBench.running()
        bench.play(.drain(deadline: .seconds(2.5)))
        #expect(bench.wait(.seconds(2.5)).last == .cancel(first))
        #expect(bench.play(.report(first, "goes on", final: false)) == [])
        // Its successor runs elsewhere only after BYE.
        #expect(bench.wait(.seconds(0.9)) == [.heartbeat(credit: 2, held: first.silent)])
        #expect(bench.wait(.seconds(0.1)) == [.says(.bye), .exit(.gaveUp(attempts: 1))])
    }

    /// Not in the list, they would count as never begun, or as lost.
    @Test func whatItGivesUpIsListedUntilItLeaves() {
        var bench = WorkerBench.running(2)
        #expect(
            bench.play(.drain(deadline: .start)) == [
                .note(.draining(held: 2)), .draining(held: first.silent, second.silent),
            ])
        #expect(bench.play(.tick) == [.cancel(first), .cancel(second)])
        #expect(
            bench.play(.says(.effects([AttemptID.attempt(2).order()]))) == [
                .draining(held: first.silent, second.silent)
            ])
        #expect(bench.play(.report(first, nil)) == [.says(.credit(total: 3))])
        #expect(bench.play(.connected) == [bench.hello(credit: 0, held: first.silent, second.silent)])
        #expect(bench.play(.report(second, nil)) == [.exit(.gaveUp(attempts: 2))])
    }

    @Test func anACKDoesNotTakeWhatIsGivenUpFromTheList() {
        var bench = WorkerBench.running()
        bench.play(.drain(deadline: .seconds(0.5)), .report(first, "so far", final: false))
        #expect(bench.wait(.seconds(0.5)) == [.cancel(first)])
        bench.play(.says(.ack([first.report(1)])))
        #expect(bench.wait(.seconds(0.5)) == [.heartbeat(credit: 2, held: first.heard(1000))])
    }

    @Test func whatHasEndedButIsNotAcknowledgedIsGivenUpAtOnce() {
        var bench = WorkerBench.running()
        bench.play(.drain(deadline: .seconds(2.5)), .report(first, "done"))
        #expect(bench.wait(.seconds(2.5)).suffix(2) == [.says(.bye), .exit(.gaveUp(attempts: 1))])
    }

    @Test func handlersThatNobodyWaitsForMayEndFirst() {
        var bench = WorkerBench.running()
        bench.play(.says(.stale([first])))
        #expect(bench.play(drain) == [.note(.draining(held: 0)), .draining()])
        #expect(bench.play(.report(first, nil)) == [.says(.credit(total: 3)), .says(.bye), .exit(.drained)])
    }

    @Test func theCoordinatorMayTellItToLeave() {
        var bench = WorkerBench.running()
        #expect(bench.play(.says(.drain(.leave))) == [.note(.draining(held: 1)), .draining(held: first.silent)])
        let limit = bench.wait(.seconds(4)) + bench.play(.says(.pulse(sent: 0)))
        #expect(!limit.contains { if case .exit = $0 { true } else { false } })
        bench.play(.report(first, "done"))
        #expect(bench.play(.says(.ack([first.report(1)]))) == [.says(.bye), .exit(.drained)])
    }

    @Test func aWorkerThatMustLeaveGivesUpAfterItsLimit() {
        var bench = WorkerBench.running()
        bench.play(.says(.drain(.leave)))
        for _ in 1...29 {
            bench.wait(.seconds(1))
            bench.play(.says(.pulse(sent: 0)))
        }
        #expect(bench.wait(.seconds(1)).contains(.cancel(first)))
        #expect(bench.play(.report(first, nil)).last == .exit(.gaveUp(attempts: 1)))
    }
}
