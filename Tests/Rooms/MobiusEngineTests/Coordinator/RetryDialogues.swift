import MobiusEngine
import MobiusWire
import Testing

/// Handlers that give up or take too long.
@Suite struct RetryDialogues {
    private let first = AttemptID.attempt()
    private let second = AttemptID.attempt(0, 2)

    @Test func aRepeatedFailureCountsOnce() {
        var stage = Stage.working(.work(attempts: 3))
        let failure = first.failure(retryable: true)
        let answer = stage.settle(.says(.failures(creditTotal: 0, [failure, failure, failure])))
        #expect(Set(answer.acknowledged()) == [failure.id])
        #expect(stage.fails(failure).acknowledged() == [failure.id])
        #expect(stage.applied == [])
        #expect(stage.wait(.milliseconds(1100)).ordered() == [second])
        #expect(stage.fails(failure).acknowledged() == [failure.id])
        #expect(stage.fails(second.failure(retryable: true)).notes == [])
        #expect(stage.applied == [])
    }

    @Test func aFailureAfterEventsIsTheirLast() {
        var stage = Stage.working(.work(attempts: 1))
        #expect(stage.fails(first.failure(2, retryable: true)).acknowledged() == [])  // report 1 is missing
        stage.reports(first.event(1, "half", final: false))
        #expect(stage.fails(first.failure(2, retryable: true)).acknowledged() == [first.report(2)])
        #expect(stage.applied == ["half", "failed: no"])
    }

    @Test func theNextAttemptCountsItsReportsFromOne() {
        var stage = Stage.working(.work())
        stage.reports(first.event(1, "half", final: false))
        stage.fails(first.failure(2, retryable: true))
        #expect(stage.wait(.milliseconds(1100)).ordered() == [second])
        #expect(stage.reports(second.event(1, "half", final: false), second.event(2)).acknowledged().count == 2)
        #expect(stage.applied == ["half", "half", "done"])
    }

    @Test func waitingForAWorkerTakesNothingOfTheTime() {
        var stage = Stage.begun(.work(timeout: .seconds(2)))
        stage.wait(.seconds(5))
        #expect(stage.settle(.hello()).orders.map(\.timeout) == [2000])
        stage.wait(.milliseconds(1900), alive: [.ann])
        #expect(stage.applied == [])
        stage.wait(.milliseconds(200), alive: [.ann])
        #expect(stage.applied == ["failed: the handler did not answer in time on worker \(Incarnation.ann)"])
    }
}
