import MobiusEngine
import MobiusJournal
import MobiusWire
import Testing

/// Timers: what fires when, over restarts and jumps of the calendar.
@Suite struct TimerDialogues {
    private func at(_ seconds: Int64) -> WallTime { WallTime(milliseconds: seconds * 1000) }

    @Test func eachFiresAtItsTimeUnderItsOwnName() throws {
        let minutes = try #require(CronSchedule("* * * * *"))
        var stage = Stage.dated(
            .timer(.after(.seconds(3)), "a"), .timer(.at(at(5)), "b"), .timer(.every(.seconds(40)), "c"),
            .timer(.cron(minutes), "d"))
        stage.live(.seconds(125))
        #expect(
            stage.applied == [3000, 5000, 40_000, 60_000, 80_000, 120_000, 120_000].map { "fired at \($0)" })
        #expect(Set(stage.sources).count == stage.sources.count)
        // What fires again is pending still, what fired once is not.
        #expect(stage.machine.snapshotState(of: .main)?.pending.map(\.id) == [.effect(2), .effect(3)])
        #expect(try stage.machine.snapshotState(of: .main)?.pending == stage.fold().pending)
    }

    @Test func overdueOnesFireOnceEachInTheOrderTheyWereDue() throws {
        var stage = Stage.dated(
            .timer(.at(at(50)), "a"), .timer(.after(.seconds(20)), "b"), .timer(.every(.seconds(15)), "c"))
        stage.now = .seconds(1000)
        try stage.restart(at: at(101))
        stage.play(.tick)
        #expect(stage.applied == ["fired at 90000", "fired at 20000", "fired at 50000"])
        stage.now = .seconds(1004)
        stage.play(.tick)
        #expect(stage.applied.last == "fired at 105000")
    }

    @Test func whatFiredDoesNotFireAgainAfterARestart() throws {
        var stage = Stage.dated(.timer(.after(.seconds(3)), "a"), .timer(.every(.seconds(10)), "b"))
        stage.live(.seconds(12))
        try stage.restart(at: at(12))
        stage.live(.seconds(7), ahead: .zero)
        #expect(stage.applied == ["fired at 3000", "fired at 10000"])
        stage.live(.seconds(2), ahead: .zero)
        #expect(stage.applied.last == "fired at 20000")
    }

    @Test func aFiringThatIsNotOnDiskIsRepeatedUnderItsName() throws {
        var stage = Stage.dated(.timer(.after(.seconds(3)), "a"))
        stage.commits = false
        stage.wait(.seconds(4))
        let before = stage.sources.last
        stage.commits = true
        try stage.restart(at: at(9))
        stage.wait(.seconds(1))
        #expect(stage.sources.last == before)
        #expect(stage.sources.count == 2)
    }

    @Test(arguments: [3600, -3600]) func aJumpMovesWhatTheCalendarNames(seconds: Int64) {
        var stage = Stage.dated(
            .timer(.after(.seconds(100)), "a"), .timer(.every(.seconds(70)), "b"), .timer(.at(at(90)), "c"))
        stage.live(.seconds(10))
        stage.live(.seconds(50), ahead: .seconds(seconds))
        #expect(stage.applied == (seconds > 0 ? ["fired at 90000"] : []))
        stage.live(.seconds(85), ahead: .seconds(seconds))
        let shift = seconds * 1000
        let relative = ["fired at \(70_000 + shift)", "fired at \(100_000 + shift)", "fired at \(140_000 + shift)"]
        #expect(stage.applied == (seconds > 0 ? ["fired at 90000"] : []) + relative)
        #expect(Set(stage.sources).count == stage.sources.count)
    }

    @Test(arguments: [false, true])
    func elapsedTimeDoesNotWaitForACalendarThatWasSetBack(restarts: Bool) throws {
        var stage = Stage.dated(.timer(.every(.seconds(10)), "a"), .timer(.after(.seconds(25)), "b"))
        stage.live(.seconds(12))
        #expect(stage.applied == ["fired at 10000"])
        let back = Duration.seconds(-3600)
        if restarts { try stage.restart(at: at(12) + back) }
        // At 20 (after a restart within 10 s of it), 25 (within 25 s of it) and so on.
        stage.live(.seconds(restarts ? 26 : 30), ahead: back)
        #expect(stage.applied.count == (restarts ? 4 : 5))
        #expect(Set(stage.sources).count == stage.sources.count)
        stage.live(.seconds(20), ahead: back)
        #expect(stage.applied.count == (restarts ? 6 : 7))
        #expect(stage.machine.audit() == [])
    }

    @Test(arguments: [false, true])
    func calendarTimesDoNotWaitForACalendarThatWasAhead(restarts: Bool) throws {
        let minutes = try #require(CronSchedule("* * * * *"))
        var stage = Stage.dated(.timer(.cron(minutes), "a"))
        let ahead = Duration.seconds(3600)
        stage.live(.seconds(130), ahead: ahead)
        // Two of the wrong hour, and those that the jump to it passed fire as one.
        let early = stage.applied.count
        #expect(early >= 2)
        if restarts { try stage.restart(at: at(130)) }
        stage.live(.seconds(180), ahead: .zero)
        #expect(stage.applied.count == early + 3)
        #expect(Set(stage.sources).count == stage.sources.count)
        #expect(stage.machine.audit() == [])
    }

    @Test func aSmallStepBackFiresNoCalendarTimeTwice() throws {
        let minutes = try #require(CronSchedule("* * * * *"))
        var stage = Stage.dated(.timer(.cron(minutes), "a"))
        stage.live(.seconds(61))
        #expect(stage.applied == ["fired at 60000"])
        stage.live(.seconds(50), ahead: .seconds(-5))
        #expect(stage.applied == ["fired at 60000"])
        stage.live(.seconds(20), ahead: .seconds(-5))
        #expect(stage.applied == ["fired at 60000", "fired at 120000"])
    }

    @Test func calendarsDrift() {
        var stage = Stage.dated(.timer(.after(.seconds(60)), "a"), .timer(.at(at(60)), "b"))
        // A hundredth too fast: after a minute it is ahead by 600 ms.
        for second in 1...59 {
            stage.live(.seconds(1), ahead: .milliseconds(10 * second))
        }
        #expect(stage.applied == [])
        stage.live(.milliseconds(500), ahead: .milliseconds(590))
        #expect(stage.applied == ["fired at 60000"])
        stage.live(.seconds(1), ahead: .milliseconds(600))
        #expect(stage.applied.count == 2)
    }

    @Test func aJumpWhileItIsNotOnDisk() {
        var stage = Stage()
        stage.play(.wallClock(at(0)))
        stage.commits = false
        stage.play(.begin(.main, effects: [.timer(.after(.seconds(10)))]))
        stage.play(.wallClock(at(3600)))
        stage.commit()
        stage.wait(.seconds(9))
        #expect(stage.applied == [])
        stage.wait(.seconds(1))
        #expect(stage.applied.count == 1)
    }

    @Test func farFuturesAndNegativePauses() {
        var stage = Stage.dated(
            .timer(.at(WallTime(milliseconds: .max)), "a"), .timer(.after(.seconds(Int64.max)), "b"),
            .timer(.every(.seconds(Int64.max)), "c"), .timer(.after(.seconds(-5)), "d"),
            .timer(.at(WallTime(milliseconds: .min)), "e"))
        stage.live(.seconds(5))
        #expect(stage.applied.count == 2)
        #expect(stage.machine.audit() == [])
        var busy = Stage.dated(.timer(.every(.seconds(-9))))
        busy.play(.tick)
        busy.wait(.seconds(1))
        #expect(busy.applied.count == 2)  // every millisecond, as often as somebody looks
    }

    @Test func aTimerOfARouteThatFiresOnceNowEnds() throws {
        var stage = Stage.dated(.timer(.every(.seconds(10))))
        stage.live(.seconds(11))
        stage.update["x"] = [.timer(.after(.seconds(10)))]  // the new build's route
        stage.ask(.timer(.after(.seconds(10))), by: "x")
        try stage.restart(at: at(12))
        #expect(stage.notes == [.ended])
        #expect(stage.machine.audit() == [])
    }

    @Test func cancelledTimersDoNotFire() {
        var stage = Stage.dated(.timer(.every(.seconds(5)), "tick"))
        stage.live(.seconds(6))
        stage.ask(.cancel("tick"), by: "stop")
        stage.live(.seconds(60))
        #expect(stage.applied == ["fired at 5000", "stop"])
        #expect(stage.machine.snapshotState(of: .main)?.pending == [])
    }

    @Test func whatIsRoutedToATimerByALaterBuildFiresFromThenOn() throws {
        var stage = Stage.dated(.work("a"), .work("b"))
        stage.reroute(.timer(.every(.seconds(10)), "a"))
        stage.reroute(.timer(.after(.seconds(12)), "b"))
        stage.now = .seconds(1)
        try stage.restart(at: at(1))
        stage.live(.seconds(24))
        #expect(stage.applied == ["fired at 10000", "fired at 12000", "fired at 20000"])
        #expect(try stage.machine.snapshotState(of: .main)?.pending == stage.fold().pending)
        // And the next start reads all that.
        try stage.restart(at: at(25))
        stage.live(.seconds(6))
        #expect(stage.applied.last == "fired at 30000")
        // Back to workers: what has not ended is work again.
        stage.reroute(.work("a"))
        try stage.restart(at: at(31))
        stage.play(.hello(journal: nil))
        #expect(stage.wait(.seconds(3), alive: [.ann]).orders.map(\.effect.words) == ["a"])
    }
}
