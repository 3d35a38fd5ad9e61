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
        #expect(bench.play(drain) == [.note(.draining(held: 1)), .draining(held: first)])
        #expect(bench.play(drain) == [])
        #expect(bench.play(.report(first, "done")) == [.events(credit: 3, first.event())])
        #expect(bench.play(.says(.ack([first.report(1)]))) == [.says(.bye), .exit(.drained)])
    }

    @Test func ordersThatComeLateAreDroppedAndTheListIsSaidAgain() {
        var bench = WorkerBench.running()
        bench.play(drain)
        #expect(bench.play(.says(.effects([second.order()]))) == [.draining(held: first)])
        #expect(bench.wait(.seconds(1)) == [.heartbeat(credit: 2, held: first)])
    }

    @Test func anewSessionHearsOfItAgainAndGetsNoCredit() {
        var bench = WorkerBench.running()
        bench.play(drain)
        #expect(bench.play(.connected) == [bench.hello(credit: 0, held: first)])
        #expect(
            bench.play(.welcome(session: 2)) == [
                .note(.joined(epoch: 1, session: 2)), .draining(held: first, session: 2),
            ])
    }

    @Test func reportsAreFlushedInTheNextSession() {
        var bench = WorkerBench.running()
        bench.play(drain, .connected)
        #expect(bench.play(.report(first, "done")) == [])
        #expect(
            bench.play(.welcome(session: 2)) == [
                .note(.joined(epoch: 1, session: 2)), .events(credit: 1, first.event(), session: 2),
                .draining(held: first, session: 2),
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
        #expect(
            bench.wait(.seconds(0.5)) == [.cancel(first), .says(.bye), .exit(.gaveUp(attempts: 2))])
    }

    @Test func theCoordinatorMayTellItToLeave() {
        var bench = WorkerBench.running()
        #expect(bench.play(.says(.drain(.leave))) == [.note(.draining(held: 1)), .draining(held: first)])
        let limit = bench.wait(.seconds(4)) + bench.play(.says(.pulse))
        #expect(!limit.contains { if case .exit = $0 { true } else { false } })
        bench.play(.report(first, "done"))
        #expect(bench.play(.says(.ack([first.report(1)]))) == [.says(.bye), .exit(.drained)])
    }

    @Test func aWorkerThatMustLeaveGivesUpAfterItsLimit() {
        var bench = WorkerBench.running()
        bench.play(.says(.drain(.leave)))
        for _ in 1...29 {
            bench.wait(.seconds(1))
            bench.play(.says(.pulse))
        }
        #expect(bench.wait(.seconds(1)).contains(.exit(.gaveUp(attempts: 1))))
    }
}
