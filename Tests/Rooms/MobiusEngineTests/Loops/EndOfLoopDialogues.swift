import MobiusEngine
import MobiusJournal
import MobiusWire
import Testing

/// Effects that end their loops.
@Suite struct EndOfLoopDialogues {
    private let other: LoopID

    init() throws {
        other = try #require(LoopID("other"))
    }

    /// The loop `main`, whose event "end" ends it.
    private func stage(_ effects: PlannedEffect..., mayBeginAgain: Bool = false) -> Stage {
        var stage = Stage()
        stage.play(.wallClock(WallTime(milliseconds: 1_000)), .begin(.main, effects: effects))
        stage.update["end"] = [.end(mayBeginAgain: mayBeginAgain)]
        return stage
    }

    @Test func itsOtherEffectsAreCancelledWithIt() {
        var stage = stage(.work("x"), .timer(.after(.seconds(5))), .local(), .work("y", pool: "nobody's"))
        stage.play(.hello(credit: 2))
        let answer = stage.play(.outside(1, key: "k", "end"))
        #expect(answer.stale() == [.attempt(0)])
        #expect(answer.contains(.cancelLocal(.attempt(2))))
        #expect(answer.contains(.ended(.main)) && answer.confirmed == [RequestID(1)])
        #expect(stage.notes.dropLast() == [.ended, .ended, .ended, .ended])
        #expect(stage.notes.last == .loopEnded(mayBeginAgain: false, outstanding: 0, at: WallTime(milliseconds: 1_000)))
        #expect(stage.play(.says(.events(creditTotal: 2, [AttemptID.attempt(0).event()]))).acknowledged() == [])
        stage.live(.seconds(10), alive: [.ann])
        #expect(stage.applied == ["end"])
        #expect(stage.machine.audit() == [])
    }

    @Test func laterEventsAreRefusedAndRepeatedKeysConfirmed() {
        var stage = stage()
        stage.play(.outside(1, key: "early"), .outside(2, key: "k", "end"))
        #expect(stage.play(.outside(3, key: "late")).lookedUp == ["late"])
        let late = stage.play(.lookedUp(RequestID(3), .main, key: "late", event: .news("hey"), isApplied: false))
        guard case .refuse(RequestID(3), let refusal)? = late.first else { return #expect(Bool(false)) }
        #expect(refusal.code == .ended)
        #expect(refusal.reason.contains("ended at 1970-01-01T00:00:01Z with event 2"))
        let early = stage.play(.lookedUp(RequestID(4), .main, key: "early", event: .news("hey"), isApplied: true))
        #expect(early == [.again(4, key: "early")])
    }

    @Test func nobodyIsToldOfAnEndThatIsNotOnDisk() {
        var stage = stage()
        stage.commits = false
        stage.play(.outside(1, key: "k", "end"))
        #expect(stage.play(.outside(2, key: "k"), .outside(3, key: "late")) == [])
        let answers = stage.commit()
        #expect(answers.contains(.again(2, key: "k")))
        #expect(answers.contains { if case .refuse(RequestID(3), _) = $0 { true } else { false } })
    }

    @Test func whatWasUnderWayIsNotApplied() {
        var stage = stage(.work("x"), .work("y"))
        stage.play(.hello(credit: 2))
        let reports = [AttemptID.attempt(0).event(1, "end"), AttemptID.attempt(1).event(1, "late")]
        let answer = stage.play(.says(.events(creditTotal: 4, reports)), .outside(1, key: "later"))
        #expect(stage.applied == ["end"])
        #expect(answer.acknowledged() == [AttemptID.attempt(0).report(1)])
        #expect(answer.stale() == [.attempt(1)])
        #expect(stage.machine.audit() == [])
    }

    @Test func whatItSentBeforeIsStillDelivered() throws {
        var stage = stage()
        stage.update["last"] = [.event("bye", for: other), .end(mayBeginAgain: false), .work("never")]
        stage.play(.outside(1, key: "k", "last"))
        stage.commits = false
        try stage.restart()
        stage.commits = true
        stage.live(.seconds(1))
        #expect(stage.applied == ["last", "bye"])
        let hasEnded = stage.machine.hasEnded(.main)
        #expect(hasEnded)
        #expect(stage.machine.audit() == [])
    }

    @Test func whatIsSentToItFails() {
        var stage = stage()
        stage.play(.begin(other, effects: []), .outside(1, key: "k", "end"))
        stage.update["send"] = [.event("hello", for: .main)]
        stage.play(.outside(RequestID(2), other, key: "s", event: .news("send")))
        stage.live(.seconds(1))
        #expect(stage.applied.count == 3)
        #expect(stage.applied.last?.hasPrefix("failed: the loop main ended at") == true)
        #expect(stage.machine.audit() == [])
    }

    @Test func oneThatSendsToItselfAndEndsHasNobodyToTell() {
        var stage = stage()
        stage.update["last"] = [.event("echo", for: .main), .end(mayBeginAgain: false)]
        stage.play(.outside(1, key: "k", "last"))
        stage.live(.seconds(1))
        #expect(stage.machine.snapshotState(of: .main)?.pending == [])
        #expect(stage.machine.audit() == [])
    }

    @Test func aCrashBeforeItsCommitUndoesItAndOneAfterDoesNot() throws {
        for commits in [false, true] {
            var stage = stage(.timer(.after(.seconds(5))))
            stage.commits = commits
            stage.play(.outside(1, key: "k", "end"))
            stage.commits = true
            try stage.restart(at: WallTime(milliseconds: 2_000))
            #expect(stage.machine.hasEnded(.main) == commits)
            stage.live(.seconds(10))
            #expect(stage.applied.contains { $0.hasPrefix("fired") } == !commits)
            #expect(stage.machine.audit() == [])
        }
    }

    @Test func oneThatMayBeginAgainGoesOnWithItsNumbers() throws {
        var stage = stage(mayBeginAgain: true)
        stage.play(.outside(1, key: "k", "end"))
        stage.first = [.work("first")]
        #expect(stage.play(.outside(2, key: "again")).lookedUp == ["again"])
        stage.play(.lookedUp(RequestID(2), .main, key: "again", event: .news("again"), isApplied: false))
        #expect(stage.applied == ["end", "again"])
        #expect(stage.sources == [.start, .outside("k"), .start, .outside("again")])
        #expect(try stage.fold().lastSequence == 3)
        #expect(stage.machine.snapshotState(of: .main)?.pending.map(\.id) == [.effect(0, of: 2)])
        // The keys of its first life are in the journal.
        #expect(stage.play(.outside(3, key: "k")).lookedUp == ["k"])
        try stage.restart()
        let hasEnded = stage.machine.hasEnded(.main)
        #expect(!hasEnded)
        #expect(stage.machine.audit() == [])
    }

    @Test func anEventOfAnotherLoopBeginsItAgain() {
        var stage = stage(mayBeginAgain: true)
        stage.play(.begin(other, effects: []), .outside(1, key: "k", "end"))
        stage.update["send"] = [.event("hello", for: .main)]
        stage.play(.outside(RequestID(2), other, key: "s", event: .news("send")))
        stage.live(.seconds(1))
        #expect(stage.applied == ["end", "send", "hello"])
        let hasEnded = stage.machine.hasEnded(.main)
        #expect(!hasEnded)
    }

    @Test(arguments: [nil, Duration.seconds(3600)])
    func aRemovalThatARestartInterruptedIsEnded(kept: Duration?) {
        var configuration = CoordinatorConfiguration(journal: .ours, epoch: 2)
        configuration.keepEnded = kept
        var stage = Stage(configuration)
        var end = EndedLoop(loop: .main, sequence: 5, time: WallTime(milliseconds: 0), mayBeginAgain: true)
        end.isRemoving = true
        stage.play(.wallClock(WallTime(milliseconds: 0)), .recoverEnded(end, pending: []))
        stage.play(.begin(other, effects: [.event("hello", for: .main)]))
        stage.play(.outside(1, key: "k"))
        let early = stage.play(.lookedUp(RequestID(1), .main, key: "k", event: .news("x"), isApplied: false))
        #expect(early == [.busy(RequestID(1))])
        #expect(stage.applied == [])
        #expect(stage.live(.seconds(2)).removed == [.main])
        stage.play(.removed([.main]))
        let knows = stage.machine.knows(loop: .main)
        #expect(!knows)
        #expect(stage.machine.audit() == [])
    }

    @Test func itIsListedAndReadUntilItsTimeIsOver() throws {
        var configuration = CoordinatorConfiguration(journal: .ours, epoch: 1)
        configuration.keepEnded = .seconds(3600)
        var stage = Stage(configuration)
        stage.update["end"] = [.end(mayBeginAgain: false)]
        stage.play(.wallClock(WallTime(milliseconds: 0)), .begin(.main, effects: []), .begin(other, effects: []))
        stage.play(.outside(1, key: "k", "end"))
        let page = stage.machine.page(prefix: "", state: .ended, after: nil, limit: 9) { _ in nil }
        #expect(
            page.loops == [
                LoopSummary(loop: .main, sequence: 1, pending: 0, state: .ended, time: WallTime(milliseconds: 0))
            ])
        #expect(stage.live(.seconds(3590)).removed == [])
        #expect(stage.live(.seconds(20)).removed == [.main])
        // Until it is gone, its name is not new.
        stage.play(.outside(2, key: "late"))
        let late = stage.play(.lookedUp(RequestID(2), .main, key: "late", event: .news("hey"), isApplied: false))
        guard case .refuse? = late.first else { return #expect(Bool(false)) }
        stage.play(.removed([.main]))
        #expect(!stage.machine.hasEnded(.main) && !stage.machine.knows(loop: .main))
        // Above the numbers of the removed one, so that no effect gets the id of an earlier one.
        stage.play(.begin(.main, effects: []))
        #expect(stage.machine.lastSequence(of: .main) == 2)
        #expect(stage.machine.audit() == [])
    }

    @Test func noEffectGetsTheIdOfARemovedLoops() throws {
        var stage = Stage()
        stage.play(.newLoops(from: 41), .begin(.main, effects: [.work("x")]), .begin(other, effects: [.work("y")]))
        let ids = [LoopID.main, other].flatMap { stage.machine.underWay(of: $0).map(\.id) }
        #expect(ids.map(\.sequence) == [41, 41])
        #expect(stage.play(.hello(credit: 9)).orders.map(\.id.effect) == ids)
        #expect(try stage.fold().lastSequence == 41)
        try stage.restart()
        #expect(stage.machine.lastSequence(of: .main) == 41)
        #expect(stage.machine.audit() == [])
    }

    @Test func asManyEndedLoopsAreRemovedAsTheDiskTakes() throws {
        var configuration = CoordinatorConfiguration(journal: .ours, epoch: 1)
        configuration.keepEnded = .seconds(10)
        var stage = Stage(configuration)
        stage.update["end"] = [.end(mayBeginAgain: false)]
        stage.play(.wallClock(WallTime(milliseconds: 0)))
        for number in 1...500 as ClosedRange<UInt64> {
            let loop = try #require(LoopID("loop \(number)"))
            stage.play(
                .begin(loop, effects: []), .outside(RequestID(number), loop, key: "k", event: .news("end")))
        }
        var removed = stage.live(.seconds(12)).removed
        let start = stage.now
        while !removed.isEmpty, removed.count < 500 {
            let done = Array(removed.suffix(64))
            stage.play(.removed(done))
            removed += stage.play(.tick).removed
        }
        #expect(Set(removed).count == 500)
        #expect(stage.now == start)
        #expect(stage.machine.audit() == [])
    }

    @Test func anEventIsNotLostWhoseSenderEndsInItsRound() throws {
        var stage = Stage()
        stage.update["end"] = [.end(mayBeginAgain: false)]
        stage.away = [other]
        // Delivered in one round: the end of the sender, and then the event for a loop that is not in memory.
        stage.play(
            .wallClock(WallTime(milliseconds: 0)),
            .begin(.main, effects: [.event("end", for: .main), .event("hello", for: other)]))
        stage.wait(.seconds(1))
        #expect(stage.applied == ["end"])
        let end = EffectNote.loopEnded(mayBeginAgain: false, outstanding: 1, at: WallTime(milliseconds: 500))
        #expect(stage.notes.contains(end))
        #expect(stage.machine.snapshotState(of: .main)?.pending.map(\.id) == [.effect(1)])
        #expect(stage.machine.audit() == [])
        stage.away = []
        try stage.restart(at: WallTime(milliseconds: 0))
        stage.wait(.seconds(1))
        #expect(stage.applied == ["end", "hello"])
        #expect(stage.machine.audit() == [])
    }

    @Test func anEndThatAnEarlierBuildDidNotMeanIsOneAfterTheRestart() throws {
        var stage = Stage.begun(.work("x"), .work("y"))
        stage.reroute(PlannedEffect(effect: .work("x"), plan: EffectPlan(destination: .endLoop(mayBeginAgain: false))))
        try stage.restart()
        let hasEnded = stage.machine.hasEnded(.main)
        #expect(hasEnded)
        #expect(stage.machine.audit() == [])
    }

    // MARK: By operators

    private func ended(_ loop: LoopID = .main, _ request: UInt64 = 9) -> CoordinatorInput {
        .end(RequestID(request), loop, by: "ann", why: "it is lost")
    }

    @Test func anOperatorEndsItAsItsProgramDoes() {
        var stage = stage(.work("x"), .timer(.after(.seconds(5))), .local(), .event("bye", for: other))
        stage.away = [other]
        stage.play(.hello(credit: 2))
        let answer = stage.play(ended())
        #expect(answer.stale() == [.attempt(0)] && answer.contains(.cancelLocal(.attempt(2))))
        #expect(answer.contains(.ended(.main)) && answer.contains(.confirm(RequestID(9), repeated: false)))
        let time = WallTime(milliseconds: 1_000)
        #expect(stage.remarks == [.acted("end", by: "ann", why: "it is lost", at: time)])
        #expect(stage.notes.last == .loopEnded(mayBeginAgain: false, outstanding: 1, at: time))
        stage.away = []
        stage.play(.arrived(other))
        stage.play(.says(.events(creditTotal: 2, [AttemptID.attempt(0).event()])))
        stage.live(.seconds(10), alive: [.ann])
        #expect(stage.applied == ["bye"])
        #expect(stage.machine.audit() == [])
    }

    @Test func anOperatorEndsNothingThatIsHeldOrEndedOrNowhere() {
        for (prepare, code) in [
            (CoordinatorInput.hold(.main), ClientRefusal.Code.held), (ended(.main, 1), .ended), (.tick, .unsupported),
        ] {
            var stage = stage()
            stage.play(prepare)
            let loop = code == .unsupported ? other : .main
            let written = stage.records.count
            guard case .refuse(RequestID(9), let refusal)? = stage.play(ended(loop)).first else {
                return #expect(Bool(false), "\(code)")
            }
            #expect(refusal.code == code && stage.records.count == written)
        }
    }

    @Test func anOperatorIsToldOfAnEndOnceItIsOnDisk() throws {
        for commits in [false, true] {
            var stage = stage(.timer(.after(.seconds(5))))
            stage.play(.outside(1, key: "k"))
            stage.commits = commits
            // The second request is of somebody who does not have the answer to the first one.
            let answers = stage.play(ended(), ended(.main, 10))
            #expect(answers.contains(.confirm(RequestID(9), repeated: false)) == commits)
            #expect(answers.contains { if case .refuse(RequestID(10), _) = $0 { true } else { false } } == commits)
            stage.commits = true
            try stage.restart(at: WallTime(milliseconds: 2_000))
            #expect(stage.machine.hasEnded(.main) == commits)
            stage.live(.seconds(10))
            #expect(stage.applied.contains { $0.hasPrefix("fired") } == !commits)
            #expect(stage.machine.audit() == [])
        }
    }

    @Test func whatWasUnderWayWhenAnOperatorEndedItIsNotApplied() {
        var stage = stage(.work("x"))
        stage.play(.hello(credit: 2))
        let answer = stage.play(
            ended(), .says(.events(creditTotal: 4, [AttemptID.attempt(0).event(1, "late")])), .outside(1, key: "later"))
        #expect(stage.applied == [] && Set(answer.stale()) == [.attempt(0)])
        #expect(answer.lookedUp == [] && answer.confirmed == [])
        #expect(stage.machine.audit() == [])
    }
}
