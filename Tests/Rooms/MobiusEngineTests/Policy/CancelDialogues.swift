import MobiusEngine
import MobiusJournal
import MobiusWire
import Testing

/// Routes that cancel other effects.
@Suite struct CancelDialogues {
    @Test func whateverTheyWaitFor() {
        let retry = RetryPolicy(attempts: 9, initial: .seconds(100))
        var stage = Stage.dated(
            .work("x", .plain(retry: retry)), .work("x", .plain(retry: retry)), .work("x", .plain()),
            .timer(.after(.seconds(9)), "x"),
            .local("x"), .work("other", .plain()))
        stage.play(.hello(credit: 2))
        stage.fails(AttemptID.attempt(1).failure(retryable: true))
        let answer = stage.ask(.cancel("x"), by: "stop")
        #expect(answer.stale() == [.attempt(0)])
        #expect(stage.machine.snapshotState(of: .main)?.pending.map(\.id) == [.effect(5)])
        #expect(stage.play(.says(.credit(total: 9))).ordered == ["other"])
        stage.live(.seconds(200), alive: [.ann])
        #expect(stage.applied == ["stop"])
        #expect(stage.machine.audit() == [])
    }

    @Test func onlyWhatWasAskedForBeforeIt() {
        var stage = Stage.begun([])
        stage.play(.hello(credit: 9))
        stage.ask(.work("x", .plain()), .cancel("x"), .work("x", .plain()), by: "both")
        #expect(stage.machine.snapshotState(of: .main)?.pending.map(\.id) == [.effect(2, of: 1)])
    }

    @Test func whatIsNotOnDiskYet() {
        var stage = Stage.begun([])
        stage.play(.hello(credit: 9))
        stage.commits = false
        stage.ask(.work("x", .plain(.atMostOnce)), by: "one")
        stage.ask(.cancel("x"), by: "two")
        #expect(stage.commit().ordered == [])
        #expect(stage.machine.snapshotState(of: .main)?.pending == [])
        #expect(stage.machine.audit() == [])
    }

    @Test func aCrashBeforeItWasDoneDoesItAgain() throws {
        var stage = Stage.begun(.work("x", .plain()))
        stage.play(.hello(credit: 1))
        stage.commits = false
        stage.ask(.cancel("x"), by: "stop")
        _ = stage.commitFirst()
        stage.commits = true
        try stage.restart()
        #expect(stage.machine.snapshotState(of: .main)?.pending == [])
        #expect(stage.play(.hello(credit: 0, epoch: 1, held: [.attempt()])).stale() == [.attempt()])
        try stage.restart()
        #expect(stage.notes.count == 2)  // each ended once
        #expect(stage.remarks == [.cancelled(by: .effect(0, of: 1))])
    }

    @Test func whatHasEndedStaysEnded() {
        var stage = Stage.begun(.work("x", .plain()))
        stage.play(.hello(credit: 1))
        stage.commits = false
        stage.play(.says(.events(creditTotal: 1, [AttemptID.attempt().event()])))
        stage.ask(.cancel("x"), by: "stop")
        #expect(stage.commit().acknowledged() == [AttemptID.attempt().report(1)])
        #expect(stage.notes.count == 1)
    }

    @Test func theWorkerIsToldOnceItIsOnDisk() {
        var stage = Stage.begun(.work("x", .plain()))
        stage.play(.hello(credit: 1))
        stage.commits = false
        #expect(stage.play(.cancel(.effect(0))).stale() == [])
        #expect(stage.commit().stale() == [.attempt()])
    }

    @Test func anOrderThatHasNotLeftNeverDoesAndCostsNoCredit() {
        var stage = Stage.begun(.work("x", .plain(.atMostOnce)), .work("y", .plain(.atMostOnce)))
        stage.commits = false
        stage.play(.hello(credit: 1))
        _ = stage.commitFirst()
        _ = stage.handle(.cancel(.effect(0)))
        #expect(stage.commit().ordered == ["y"])
    }
}
