import MobiusEngine
import MobiusJournal
import MobiusWire
import Testing

/// Effects that must not happen twice.
@Suite struct AtMostOnceDialogues {
    private let first = AttemptID.attempt()
    private let unknown = "failed: the worker was lost, and whether it was done is unknown"

    private func working() -> Stage {
        var stage = Stage.begun(.work("once", .plain(.atMostOnce, attempt: .seconds(30))))
        stage.play(.hello(credit: 10))
        return stage
    }

    @Test func thatItBeginsIsOnDiskBeforeItsOrderLeaves() {
        var stage = Stage.begun(.work("once", .plain(.atMostOnce)))
        stage.commits = false
        #expect(stage.play(.hello(credit: 1)).ordered == [])
        #expect(stage.records.last == .note(first.effect, .started(first.attempt)))
        #expect(stage.machine.snapshotState(of: .main)?.pending.first?.started == first.attempt)
        #expect(stage.commit().ordered == ["once"])
    }

    /// Each way to lose sight of it is told once, and it never runs again.
    private static let losses: [@Sendable (inout Stage) throws -> Void] = [
        { $0.wait(.seconds(12)) },
        { $0.play(.says(.bye)) },
        { $0.wait(.seconds(31), alive: [.ann]) },
        {
            try $0.restart(); $0.wait(.seconds(3))
        },
        {
            $0.play(.holds(.attempt())); $0.play(.hello(credit: 1))
        },
        {
            $0.play(.holds(.attempt())); $0.play(.holds(of: 1, received: 1))
        },
    ]

    @Test(arguments: 0..<losses.count) func itsLossIsToldOnce(way: Int) throws {
        var stage = working()
        try Self.losses[way](&stage)
        #expect(stage.applied == [unknown])
        #expect(stage.play(.hello(.worker(9), credit: 9)).ordered == [])
        try stage.restart()
        #expect(stage.play(.hello(.worker(10), credit: 9)).ordered == [])
        stage.wait(.seconds(5))
        #expect(stage.applied == [unknown])
    }

    @Test func itGoesOnAtItsWorkerAfterARestart() throws {
        var stage = working()
        try stage.restart()
        #expect(stage.play(.hello(credit: 1, epoch: 1, held: [first])).ordered == [])
        stage.play(.says(.events(creditTotal: 1, [first.event()]), epoch: 2))
        stage.wait(.seconds(3))
        #expect(stage.applied == ["done"])
    }

    @Test func aCrashBetweenTheCommitAndTheOrderLeavesItUnknown() throws {
        var stage = Stage.begun(.work("once", .plain(.atMostOnce)))
        stage.commits = false
        stage.play(.hello(credit: 1))
        _ = stage.commitFirst()
        stage.commits = true
        try stage.restart()
        stage.wait(.seconds(3))
        #expect(stage.applied == [unknown])
    }

    @Test func whatNeverLeftRunsElsewhere() {
        var stage = Stage.begun(.work("once", .plain(.atMostOnce)))
        stage.commits = false
        stage.play(.hello(credit: 1))
        stage.play(.says(.bye))
        stage.play(.hello(.bob, credit: 1))
        #expect(stage.commit().ordered == ["once"])
        #expect(stage.applied == [])
        #expect(stage.machine.audit() == [])
    }

    @Test func aWorkerThatComesBackMeanwhileGetsNoMoreThanItsCredit() {
        var stage = Stage.begun(.work("1", .plain(.atMostOnce)), .work("2", .plain(.atMostOnce)))
        stage.commits = false
        stage.play(.hello(credit: 1))
        stage.play(.says(.bye))
        stage.play(.hello(credit: 1))
        #expect(stage.commit().ordered.count == 1)
    }

    @Test func aHandlerThatGivesUpIsNotUnknown() {
        var stage = working()
        stage.fails(first.failure(retryable: true))
        stage.wait(.seconds(5), alive: [.ann])
        #expect(stage.applied == ["failed: no"])
    }

    @Test func whatADrainingWorkerNeverReceivedRunsElsewhere() {
        var stage = working()
        stage.play(.says(.draining(held: [])))
        #expect(stage.play(.hello(.bob, credit: 1)).ordered == ["once"])
        #expect(stage.applied == [])
    }

    @Test func cancelledBeforeItsOrderLeavesItNeverDoes() {
        var stage = Stage.begun(.work("once", .plain(.atMostOnce)), .work("other", .plain()))
        stage.commits = false
        stage.play(.hello(credit: 1))
        #expect(stage.play(.cancel(first.effect)).ordered == ["other"])
        #expect(stage.commit().ordered == [])
        #expect(stage.machine.audit() == [])
    }
}
