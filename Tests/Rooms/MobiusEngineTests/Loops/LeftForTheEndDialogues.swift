import MobiusEngine
import MobiusJournal
import MobiusWire
import Testing

/// Effects that are for other loops once their own loop has ended.
@Suite struct LeftForTheEndDialogues {
    private let child: LoopID

    init() throws {
        child = try #require(LoopID("child"))
    }

    /// The loop `main` with these effects, which the event "end" ends, and perhaps its child.
    private func stage(_ effects: PlannedEffect..., hasChild: Bool = true, mayBeginAgain: Bool = false) -> Stage {
        var stage = Stage()
        stage.play(.wallClock(WallTime(milliseconds: 1_000)), .begin(.main, effects: effects))
        if hasChild { stage.play(.begin(child, effects: [.timer(.after(.seconds(3600)))])) }
        stage.update["end"] = [.end(mayBeginAgain: mayBeginAgain)]
        return stage
    }

    @Test func theyWaitForTheEndOnly() throws {
        var stage = stage(.left("bye", for: child))
        stage.live(.seconds(100))
        try stage.restart()
        stage.live(.seconds(100))
        #expect(stage.applied == [])
        let waiting = stage.machine.statuses(of: .main, after: nil, limit: 9, at: stage.now).effects
        #expect(waiting.map(\.obstacle) == ["it is for the loop child once this loop ends"])
        #expect(stage.machine.audit() == [])
        stage.play(.outside(1, key: "k", "end"))
        stage.live(.seconds(1))
        #expect(stage.applied == ["end", "bye"])
        #expect(stage.sources.last == .loop(.effect(0)))
        #expect(stage.machine.audit() == [])
    }

    @Test(arguments: [false, true])
    func theyFollowWhatWasSentBefore(crashes: Bool) throws {
        var stage = stage()
        stage.update["last"] = [
            .left("bye", for: child), .event("hello", for: child), .end(mayBeginAgain: false),
        ]
        stage.play(.outside(1, key: "k", "last"))
        stage.commits = !crashes
        if crashes {
            try stage.restart()
            stage.commits = true
        }
        stage.live(.seconds(1))
        #expect(stage.applied == ["last", "hello", "bye"])
        #expect(stage.machine.audit() == [])
    }

    @Test(arguments: [false, true])
    func theyBeginNothing(ends: Bool) {
        var stage = stage(.left("bye", for: child, ends: ends), hasChild: false)
        stage.play(.outside(1, key: "k", "end"))
        stage.live(.seconds(1))
        #expect(stage.applied == ["end"])
        let knows = stage.machine.knows(loop: child)
        #expect(!knows)
        #expect(stage.machine.statuses(of: .main, after: nil, limit: 9, at: stage.now).effects == [])
        #expect(stage.machine.audit() == [])
    }

    @Test(arguments: [false, true])
    func oneThatMayBeginAgainDoesNotBeginWithThem(ends: Bool) {
        var stage = stage(.left("bye", for: child, ends: ends))
        stage.update["close"] = [.end(mayBeginAgain: true)]
        stage.play(.outside(RequestID(1), child, key: "c", event: .news("close")))
        stage.play(.outside(2, key: "k", "end"))
        stage.live(.seconds(1))
        #expect(stage.applied == ["close", "end"])
        #expect(stage.machine.hasEnded(child) == true)
        #expect(stage.machine.audit() == [])
    }

    @Test(arguments: [false, true])
    func anEndIsTakenAlongInOneCommitWithTheEffect(crashes: Bool) throws {
        var stage = stage(.left("all", for: child, ends: true))
        stage.play(.outside(1, key: "k", "end"))
        if crashes { try stage.restart(at: WallTime(milliseconds: 2_000)) }
        stage.live(.seconds(1))
        #expect(stage.machine.hasEnded(child) == true)
        let id = EffectID.none(of: child, at: 0)
        let time = WallTime(milliseconds: crashes ? 2_500 : 1_500)
        let why = "the loop main has ended, and takes this one along"
        let remark = EffectRemark.acted("end", by: "", why: why, at: time)
        let own = stage.durable.filter { $0.loop == child || $0 == .note(.effect(0), .ended) }
        #expect(
            own.suffix(4) == [
                .note(.effect(0), .ended), .note(id, .remarked(remark)),
                .note(EffectID(loop: child, sequence: 0, index: 0), .ended),
                .note(id, .loopEnded(mayBeginAgain: false, outstanding: 0, at: time)),
            ])
        #expect(stage.machine.audit() == [])
    }

    @Test func theOperatorsEndTakesThemAlongAndTheirChildren() throws {
        let grandchild = try #require(LoopID("grandchild"))
        var stage = stage(.left("all", for: child, ends: true), hasChild: false)
        stage.play(.begin(child, effects: [.left("all", for: grandchild, ends: true)]))
        stage.play(.begin(grandchild, effects: [.left("main", for: .main, ends: true)]))
        stage.play(.end(RequestID(1), .main, by: "Ada", why: "enough"))
        stage.live(.seconds(1))
        #expect(stage.machine.hasEnded(child) == true)
        #expect(stage.machine.hasEnded(grandchild) == true)
        #expect(stage.machine.audit() == [])
    }

    @Test func oneThatIsHeldGetsItWhenItIsReleased() {
        var stage = stage(.left("bye", for: child))
        stage.play(.hold(child), .outside(1, key: "k", "end"))
        stage.live(.seconds(10))
        #expect(stage.applied == ["end"])
        stage.play(.recover(ResumedLoop(loop: child, lastSequence: 0, pending: [])))
        stage.live(.seconds(1))
        #expect(stage.applied == ["end", "bye"])
        #expect(stage.machine.audit() == [])
    }

    @Test func oneThatIsCancelledIsGone() throws {
        var stage = stage(.left("bye", for: child), .left("all", for: child, ends: true))
        stage.play(.cancel(.effect(0)), .cancel(.effect(1)))
        stage.play(.outside(1, key: "k", "end"))
        stage.live(.seconds(1))
        #expect(stage.applied == ["end"])
        #expect(stage.machine.hasEnded(child) == false)
        #expect(stage.machine.audit() == [])
    }

    @Test(arguments: [false, true])
    func oneThatIsCancelledJustBeforeTheEndIsGone(isOneEvent: Bool) {
        var stage = stage(.left("bye", for: child), .left("all", for: child, ends: true))
        stage.update["keep"] = [.cancel("bye"), .cancel("all")]
        stage.update["last"] = [.end(mayBeginAgain: false), .cancel("bye"), .cancel("all")]
        stage.commits = false
        if isOneEvent {
            stage.play(.outside(1, key: "k", "last"))
        } else {
            stage.play(.outside(1, key: "k", "keep"), .outside(2, key: "l", "end"))
        }
        stage.commit()
        stage.commits = true
        stage.live(.seconds(1))
        #expect(!stage.applied.contains("bye"))
        #expect(stage.machine.hasEnded(child) == false)
        #expect(stage.machine.statuses(of: .main, after: nil, limit: 9, at: stage.now).effects == [])
        #expect(stage.machine.audit() == [])
    }

    @Test func cancelsThatTheEndOvertookRunAfterARestart() throws {
        var stage = stage(.left("bye", for: child))
        stage.update["last"] = [.end(mayBeginAgain: false), .cancel("bye")]
        stage.play(.outside(1, key: "k", "last"))
        // The commit is on disk; what it released was not done.
        try stage.restart()
        stage.live(.seconds(1))
        #expect(stage.applied == ["last"])
        #expect(stage.machine.audit() == [])
    }

    @Test func anotherEndOfTheParentAddressesThemOnce() {
        var stage = stage(.left("bye", for: child), mayBeginAgain: true)
        stage.away = [child]
        stage.play(.outside(1, key: "k", "end"))
        stage.live(.seconds(1))
        for (number, event) in [(2, "again"), (4, "end")] {
            stage.play(.outside(RequestID(UInt64(number)), .main, key: event, event: .news(event)))
            stage.play(
                .lookedUp(RequestID(UInt64(number)), .main, key: event, event: .news(event), isApplied: false))
            stage.live(.seconds(1))
        }
        #expect(stage.machine.audit() == [])
        stage.away = []
        stage.play(.arrived(child))
        stage.live(.seconds(1))
        #expect(stage.applied == ["end", "again", "end", "bye"])
        #expect(stage.machine.audit() == [])
    }

    @Test func aChildThatBeginsAgainWithTheParentsLastEventGetsThem() {
        var stage = stage(.left("bye", for: child))
        stage.update["close"] = [.end(mayBeginAgain: true)]
        stage.update["last"] = [.event("hello", for: child), .end(mayBeginAgain: false)]
        stage.play(.outside(RequestID(1), child, key: "c", event: .news("close")))
        stage.play(.outside(2, key: "k", "last"))
        stage.live(.seconds(1))
        #expect(stage.applied == ["close", "last", "hello", "bye"])
        #expect(stage.machine.audit() == [])
    }

    @Test func whatWasSentInAnEarlierLifeComesBeforeWhatThatHasLeft() throws {
        var stage = stage(.left("bye", for: child), mayBeginAgain: true)
        stage.away = [child]
        stage.update["send"] = [.event("hello", for: child)]
        stage.play(.outside(1, key: "s", "send"), .outside(2, key: "k", "end"))
        stage.play(.outside(3, key: "again"))
        stage.play(.lookedUp(RequestID(3), .main, key: "again", event: .news("again"), isApplied: false))
        stage.away = []
        try stage.restart()
        stage.live(.seconds(1))
        #expect(stage.applied == ["send", "end", "again", "hello", "bye"])
        #expect(stage.machine.audit() == [])
    }

    @Test func aLoopThatBeginsAgainHasLeftThemBefore() throws {
        var stage = stage(.left("bye", for: child), mayBeginAgain: true)
        stage.away = [child]
        stage.play(.outside(1, key: "k", "end"))
        stage.live(.seconds(1))
        #expect(stage.deliveries == [.effect(0)])
        stage.play(.outside(2, key: "again"))
        stage.play(.lookedUp(RequestID(2), .main, key: "again", event: .news("again"), isApplied: false))
        #expect(stage.machine.underWay(of: .main).map(\.id) == [])  // its new life cannot cancel them
        stage.away = []
        try stage.restart()
        stage.live(.seconds(1))
        #expect(stage.applied == ["end", "again", "bye"])
        #expect(stage.machine.hasEnded(.main) == false)
        #expect(stage.machine.audit() == [])
    }

    @Test func anotherShardsAnswerEndsThem() {
        var stage = stage(.left("all", for: child, ends: true), hasChild: false)
        stage.away = [child]
        stage.play(.outside(1, key: "k", "end"))
        stage.live(.seconds(1))
        #expect(stage.deliveries == [.effect(0)])
        stage.play(.answered(.effect(0), LoopReply(nil)), .arrived(child))
        #expect(stage.machine.statuses(of: .main, after: nil, limit: 9, at: stage.now).effects == [])
        #expect(stage.machine.audit() == [])
    }
}
