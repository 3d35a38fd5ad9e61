import MobiusEngine
import MobiusJournal
import MobiusWire
import Testing

/// Effects that run out of time.
@Suite struct TimeoutDialogues {
    private let first = AttemptID.attempt()

    @Test func nobodyTookIt() {
        var stage = Stage.dated(.work(.plain(start: .seconds(5))))
        stage.wait(.milliseconds(4999))
        #expect(stage.applied == [])
        stage.wait(.milliseconds(1))
        #expect(stage.applied == ["failed: no worker took it in time"])
        #expect(stage.play(.hello()).ordered == [])
    }

    @Test func whatBeganInTimeMayBePutBack() {
        var stage = Stage.dated(.work(.plain(start: .seconds(5))))
        stage.play(.hello())
        stage.play(.says(.bye))
        stage.wait(.seconds(60))
        #expect(stage.applied == [])
        #expect(stage.play(.hello(.bob)).ordered == ["work"])
    }

    @Test func aSlowDiskCounts() {
        var stage = Stage()
        stage.commits = false
        stage.play(.begin(.main, effects: [.work(.plain(start: .seconds(5)))]))
        stage.wait(.seconds(6))
        #expect(stage.applied == [])
        stage.commit()
        #expect(stage.applied == ["failed: no worker took it in time"])
    }

    @Test func afterARestartOnlyWhatNobodyHoldsIsTooLate() throws {
        var stage = Stage.dated(.work("1", .plain(start: .seconds(5))), .work("2", .plain(start: .seconds(5))))
        stage.play(.hello(credit: 1))
        stage.now = .seconds(20)
        try stage.restart(at: WallTime(milliseconds: 20_000))
        stage.wait(.seconds(1))
        #expect(stage.applied == [])
        stage.play(.hello(credit: 0, epoch: 1, held: [first]))
        stage.wait(.milliseconds(1500), alive: [.ann])
        #expect(stage.applied == ["failed: no worker took it in time"])
        stage.play(.says(.events(creditTotal: 1, [first.event()]), epoch: 2))
        #expect(stage.applied.last == "done")
    }

    @Test func allAttemptsTogether() {
        let retry = RetryPolicy(attempts: 9, initial: .milliseconds(500), jitter: 0, onTimeout: true)
        let policy = EffectPolicy.plain(attempt: .seconds(4), all: .seconds(10), retry: retry)
        var stage = Stage.dated(.work(policy))
        #expect(stage.play(.hello(credit: 9)).orders.map(\.timeout) == [4000])
        let later = stage.wait(.milliseconds(9900), alive: [.ann]).orders
        #expect(later.map(\.timeout) == [4000, 500])
        stage.wait(.milliseconds(100), alive: [.ann])
        #expect(stage.applied == ["failed: it was not done in time"])
    }

    @Test func timeGoesOnOverARestartAndBeforeTheWorkerComesBack() throws {
        var stage = Stage.dated(.work(.plain(all: .seconds(10))))
        stage.play(.hello())
        stage.now = .seconds(9)
        try stage.restart(at: WallTime(milliseconds: 9000))
        stage.wait(.seconds(1))
        #expect(stage.applied == ["failed: it was not done in time"])
        #expect(stage.play(.hello(epoch: 1, held: [first])).stale() == [first])
    }

    @Test func aJumpOfTheCalendarIsNoTime() {
        var stage = Stage.dated(.work(.plain(all: .seconds(60))))
        stage.now = .seconds(1)
        stage.play(.wallClock(WallTime(milliseconds: 3_600_000)))
        #expect(stage.play(.hello()).orders.map(\.timeout) == [59_000])
        stage.wait(.seconds(58), alive: [.ann])
        #expect(stage.applied == [])
    }

    @Test func anAttemptThatTimesOutMayBeTriedAgain() {
        let retry = RetryPolicy(attempts: 2, initial: .seconds(1), jitter: 0, onTimeout: true)
        var stage = Stage.begun(.work(.plain(attempt: .seconds(3), retry: retry)))
        stage.play(.hello(credit: 9))
        let first = stage.wait(.seconds(3), alive: [.ann])
        #expect(first.cancelled() == [.attempt()])
        #expect(stage.notes == [.retried(failures: 1)])
        #expect(stage.wait(.seconds(1), alive: [.ann]).ordered() == [.attempt(0, 2)])
        #expect(stage.play(.says(.events(creditTotal: 9, [AttemptID.attempt().event()]))).stale() == [.attempt()])
        stage.wait(.seconds(3), alive: [.ann])
        #expect(stage.applied == ["failed: the handler did not answer in time on worker \(Incarnation.ann)"])
    }

    @Test func afterATimeoutAnotherWorkerHasItsTurn() {
        let retry = RetryPolicy(attempts: 3, initial: .seconds(1), jitter: 0, onTimeout: true)
        var stage = Stage.begun(.work(.plain(attempt: .seconds(3), retry: retry)))
        stage.play(.hello(credit: 90))
        stage.wait(.seconds(3), alive: [.ann])
        stage.play(.hello(.bob, credit: 1))
        // Though the first one has more credit.
        #expect(stage.wait(.seconds(1), alive: [.ann]).ordered(.bob) == [.attempt(0, 2)])
    }

    @Test func afterATimeoutItsOnlyWorkerTriesAgain() {
        let retry = RetryPolicy(attempts: 3, initial: .seconds(1), jitter: 0, onTimeout: true)
        var stage = Stage.begun(.work(.plain(attempt: .seconds(3), retry: retry)))
        stage.play(.hello(credit: 90))
        stage.wait(.seconds(3), alive: [.ann])
        #expect(stage.wait(.seconds(1), alive: [.ann]).ordered() == [.attempt(0, 2)])
    }

    @Test func aTimeoutIsNotedWithItsWorkersName() {
        var stage = Stage.begun(.work(.plain(attempt: .seconds(3))))
        stage.play(.hello(credit: 9, name: "fetcher-1"))
        let actions = stage.wait(.seconds(3), alive: [.ann])
        #expect(actions.contains(.note(.timedOut(first, .startToClose, worker: "fetcher-1"))))
        #expect(stage.applied == ["failed: the handler did not answer in time on worker fetcher-1"])
    }

    @Test func anOrderThatIsSentAgainTellsTheTimeThatIsLeft() {
        var stage = Stage.begun(.work(.plain(attempt: .seconds(10))))
        stage.play(.hello())
        stage.now = .seconds(4)
        #expect(stage.play(.holds(of: 1)).orders.map(\.timeout) == [6000])
    }

    @Test func anAttemptOfBeforeTheRestartIsNotAdoptedAgainOnceItFailed() throws {
        var stage = Stage.begun(.work(.plain(retry: .init(attempts: 5, initial: .zero, jitter: 0))))
        stage.play(.hello(credit: 1))
        try stage.restart()
        stage.play(.hello(credit: 0, epoch: 1, held: [first]))
        stage.play(.says(.failures(creditTotal: 0, [first.failure(retryable: true)]), epoch: 2))
        stage.now = stage.now + .seconds(1)
        stage.play(.tick)
        // It waits in the queue; the worker has not heard the ACK, and says HELLO again.
        stage.play(.hello(credit: 0, epoch: 2, held: [first]))
        stage.play(.says(.failures(creditTotal: 0, [first.failure(retryable: true)]), session: 2, epoch: 2))
        #expect(stage.notes == [.retried(failures: 1)])
    }

    @Test func noDeadlineLeaks() {
        let retry = RetryPolicy(attempts: 9, initial: .seconds(100))
        let policy = EffectPolicy.plain(
            start: .seconds(500), attempt: .seconds(500), all: .seconds(500), progress: .seconds(500), retry: retry)
        var stage = Stage.begun([])
        stage.play(.hello(credit: 100_000))
        for number in 1...2000 as ClosedRange<UInt64> {
            stage.ask(.work(policy), by: "\(number)")
            let attempt = AttemptID.attempt(0, of: 2 * number - 1)
            stage.play(.says(.events(creditTotal: 0, [attempt.event()])))
        }
        #expect(stage.machine.deadlineCount < 1100)
    }
}
