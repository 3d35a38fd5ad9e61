import MobiusEngine
import MobiusWire
import Testing

/// What the lists of held attempts say about the progress of their handlers.
@Suite struct WorkerProgressDialogues {
    private let first = AttemptID.attempt()
    private let second = AttemptID.attempt(1)

    @Test func aHeartbeatSaysHowLongAgoHandlersReportedProgress() {
        var bench = WorkerBench.running(2)
        bench.play(.progress([first: .seconds(0.25)]))
        #expect(bench.wait(.seconds(1)) == [.heartbeat(credit: 2, held: first.heard(750), second.silent)])
        bench.play(.progress([first: .seconds(1), second: .seconds(0.5)]))
        #expect(bench.wait(.seconds(1)) == [.heartbeat(credit: 2, held: first.heard(1000), second.heard(1500))])
    }

    @Test func helloAndDrainingSayItToo() {
        var bench = WorkerBench.running()
        bench.wait(.seconds(0.5))
        bench.play(.progress([first: .seconds(0.2)]))
        #expect(bench.play(.connected) == [bench.hello(credit: 1, held: first.heard(300))])
        bench.play(.welcome(session: 2))
        #expect(
            bench.play(.drain(deadline: .seconds(9))).last == .draining(held: first.heard(300), session: 2))
    }

    @Test func progressNeverGoesBack() {
        var bench = WorkerBench.running()
        bench.play(.progress([first: .seconds(0.5)]), .progress([first: .seconds(0.2)]), .progress([:]))
        #expect(bench.wait(.seconds(1)) == [.heartbeat(credit: 2, held: first.heard(500))])
    }

    @Test func progressOfOtherAttemptsIsIgnored() {
        var bench = WorkerBench.running()
        bench.play(.progress([.attempt(0, 2): .seconds(0.5), second: .seconds(0.5)]))
        #expect(bench.wait(.seconds(1)) == [.heartbeat(credit: 2, held: first.silent)])
    }

    @Test func reportsAreProgress() {
        var bench = WorkerBench.running(2)
        bench.wait(.seconds(0.6))
        bench.play(.report(first, "a", final: false), .report(second, "done"))
        #expect(bench.wait(.seconds(0.4)) == [.heartbeat(credit: 3, held: first.heard(400), second.heard(400))])
        // The attempt ends and waits for its ACK; a newer one begins without a word.
        bench.play(.says(.effects([AttemptID.attempt(1, 2).order()])))
        #expect(
            bench.wait(.seconds(1)).first
                == .heartbeat(credit: 3, held: first.heard(1400), AttemptID.attempt(1, 2).silent))
    }

    @Test func aVeryOldWordIsNoSilence() {
        var bench = WorkerBench.running()
        bench.play(.progress([first: .seconds(-9_000_000)]))
        #expect(bench.wait(.seconds(1)) == [.heartbeat(credit: 2, held: first.heard(.max - 1))])
    }
}
