import MobiusEngine
import MobiusJournal
import MobiusWire
import Testing

/// Effects that failed for good, and what operators do about them.
@Suite struct DeadLetterDialogues {
    private let first = AttemptID.attempt()
    private let plan = EffectPlan(destination: .pool("pool"), policy: .plain(keeps: true))

    private func dead(keeps: Bool = true) -> Stage {
        var stage = Stage.begun(.work(.plain(keeps: keeps)))
        stage.play(.hello(credit: 9))
        stage.fails(first.failure(retryable: false, "bad"))
        return stage
    }

    private func letter(_ stage: borrowing Stage) throws -> DeadLetter {
        try #require(
            stage.notes.compactMap { if case .deadLettered(let letter) = $0 { letter } else { nil } }.last)
    }

    @Test func itDiesInTheCommitOfItsEnd() throws {
        var stage = Stage.begun(.work(.plain(keeps: true)))
        stage.play(.hello(credit: 9))
        let actions = stage.handle(.says(.failures(creditTotal: 9, [first.failure(retryable: false, "bad")])))
        #expect(actions == [.applyFailure(first.effect, effect: .work("work"), .failed(reason: "bad"), round: 0)])
        let application = EventApplication(
            loop: .main, source: .failure(first.effect, round: 0), event: .news("oh"), ends: first.effect,
            origin: .failure)
        _ = stage.handle(.applied(application, effects: []))
        let letter = DeadLetter(id: first.effect, effect: .work("work"), reason: "bad", failures: 1)
        let end = JournalRecord.event(1, .failure(first.effect, round: 0), "oh", ends: first.effect)
        #expect(
            stage.handle(.flush) == [.append(2, first.remark("bad"), .note(first.effect, .deadLettered(letter)), end)])
    }

    @Test func orWithTheNoteOfItsEndWhenNobodyHears() {
        var stage = Stage.begun(.work(.plain(keeps: true)))
        stage.play(.hello(credit: 9))
        _ = stage.handle(.says(.failures(creditTotal: 9, [first.failure(retryable: false)])))
        _ = stage.handle(.completedWithoutEvent(first.effect))
        guard case .append(_, let records)? = stage.handle(.flush).first else { return #expect(Bool(false)) }
        #expect(records.count == 3)  // why, the letter, and the end
        #expect(records.last == .note(first.effect, .ended))
    }

    @Test func notKeptWhenItsRouteDoesNotWantThat() {
        #expect(dead(keeps: false).notes == [])
    }

    @Test func revivedItBeginsANewRound() throws {
        var stage = dead()
        stage.now = .seconds(5)
        let answer = stage.play(.requeue(RequestID(1), try letter(stage), plan))
        #expect(answer.contains(.confirm(RequestID(1), repeated: false)))
        let attempt = answer.ordered().first
        #expect(attempt?.effect == first.effect)
        #expect(attempt != first)
        // While it is under way, it is not requeued again.
        #expect(stage.play(.requeue(RequestID(2), try letter(stage), plan)) == [.confirm(RequestID(2), repeated: true)])
        let again = try #require(attempt)
        stage.fails(again.failure(retryable: false, "still bad"))
        #expect(stage.sources.last == .failure(first.effect, round: 1))
        #expect(try letter(stage).round == 1)
        // Its first attempt's reports are no news.
        #expect(stage.fails(first.failure(retryable: false, "bad")).acknowledged() == [first.report(1)])
        #expect(stage.applied == ["failed: bad", "failed: still bad"])
    }

    @Test func revivedItEndsWithItsLoopAlsoIfAllThatIsPendingIsYounger() throws {
        var stage = dead()
        stage.update["more"] = [.work("more", pool: "nobody's")]
        stage.update["end"] = [.end(mayBeginAgain: false)]
        stage.play(.outside(1, key: "a", "more"))
        stage.play(.requeue(RequestID(2), try letter(stage), plan))
        stage.play(.outside(3, key: "b", "end"))
        let hasEnded = stage.machine.hasEnded(.main)
        #expect(hasEnded)
        #expect(stage.machine.effect(first.effect, at: stage.now) == nil)
        #expect(stage.machine.audit() == [])
    }

    @Test func attemptsOfTheRoundBeforeAreNotAdopted() throws {
        // Given up while the worker was away, which holds the attempt still.
        var stage = Stage.begun(.work(.plain(all: .seconds(20), keeps: true)))
        stage.play(.wallClock(WallTime(milliseconds: 0)), .hello(credit: 9))
        try stage.restart(at: WallTime(milliseconds: 0))
        for second in [30, 31] as [Double] {
            stage.now = .seconds(second)
            stage.play(.tick)
        }
        #expect(stage.applied == ["failed: it was not done in time"])
        stage.play(.requeue(RequestID(1), try letter(stage), plan))
        #expect(stage.play(.hello(credit: 0, epoch: 1, held: [first])).stale() == [first])
        let report = CoordinatorInput.says(.events(creditTotal: 0, [first.event()]), epoch: 2)
        #expect(stage.play(report).stale() == [first])
        #expect(stage.applied.count == 1)
        #expect(stage.play(.says(.credit(total: 1), epoch: 2)).ordered().map(\.attempt.round) == [1])
    }

    @Test func itsTimeBeginsAnew() throws {
        let timed = EffectPlan(destination: .pool("pool"), policy: .plain(all: .seconds(60), keeps: true))
        var stage = Stage.dated(PlannedEffect(effect: .work("work"), plan: timed))
        stage.play(.hello(credit: 9))
        stage.fails(first.failure(retryable: false))
        stage.now = .seconds(50)
        stage.play(.says(.credit(total: 9)))
        stage.play(.requeue(RequestID(1), try letter(stage), timed))
        stage.wait(.seconds(59), alive: [.ann])
        #expect(stage.applied.count == 1)
        stage.wait(.seconds(1), alive: [.ann])
        #expect(stage.applied.last == "failed: it was not done in time")
        #expect(stage.applied.count == 2)
    }

    @Test func revivedOverARestart() throws {
        var stage = dead()
        stage.play(.requeue(RequestID(1), try letter(stage), plan))
        try stage.restart()
        #expect(stage.machine.snapshotState(of: .main)?.pending.map(\.round) == [1])
        let order = stage.play(.hello(.bob, credit: 1)) + stage.wait(.seconds(3))
        #expect(order.ordered(.bob).map(\.attempt.epoch) == [2])
    }

    @Test func whoseEndIsNotOnDiskIsBusy() throws {
        var stage = Stage.begun(.work(.plain(keeps: true)))
        stage.play(.hello(credit: 9))
        stage.commits = false
        stage.fails(first.failure(retryable: false))
        stage.commits = false
        let id = first.effect
        stage.ask(.work("2", .plain(keeps: true)), by: "x")
        _ = stage.commit()
        stage.commits = false
        stage.play(.says(.failures(creditTotal: 9, [AttemptID.attempt(0, of: 2).failure(retryable: false)])))
        let letter = try letter(stage)
        #expect(letter.id != id)
        #expect(stage.play(.requeue(RequestID(1), letter, plan)) == [.busy(RequestID(1))])
    }

    @Test func askedForAgainBeforeItsCommitItIsConfirmedWithThat() throws {
        var stage = dead()
        let letter = try letter(stage)
        stage.commits = false
        #expect(stage.play(.requeue(RequestID(1), letter, plan)).confirmations == [])
        // Another operator, who read the letter before, and one for whom the edge sees that it is under way.
        #expect(stage.play(.requeue(RequestID(2), letter, plan), .retry(RequestID(3), letter.id)).confirmations == [])
        #expect(stage.commitFirst().confirmations == [RequestID(1)])
        #expect(stage.commitFirst().confirmations == [RequestID(2), RequestID(3)])
    }

    @Test func whatIsShownIsOnDisk() throws {
        var stage = dead()
        #expect(stage.handle(.look(RequestID(1))) == [.confirm(RequestID(1), repeated: false)])
        stage.commits = false
        _ = stage.handle(.requeue(RequestID(2), try letter(stage), plan))
        #expect(stage.play(.look(RequestID(3))).confirmations == [])
        #expect(stage.play(.look(RequestID(4))).confirmations == [])
        #expect(stage.commitFirst().confirmations == [RequestID(2), RequestID(3)])
        #expect(stage.commitFirst().confirmations == [RequestID(4)])
    }

    @Test func whatEndsIsLookedAtAgainLater() throws {
        var stage = Stage.begun(.work(.plain(keeps: true)))
        stage.play(.hello(credit: 9))
        stage.commits = false
        stage.fails(first.failure(retryable: false))
        #expect(stage.play(.retry(RequestID(1), first.effect)) == [.busy(RequestID(1))])
    }

    @Test func droppedItIsGone() throws {
        var stage = dead()
        let drop = CoordinatorInput.drop(RequestID(1), first.effect, by: "ada")
        #expect(stage.play(drop) == [.confirm(RequestID(1), repeated: false)])
        #expect(stage.remarks.last == .asked(by: "ada", at: WallTime(milliseconds: 0)))
        #expect(stage.notes.last == .dropped)
    }

    @Test func noLoopNoLetterAndNoTime() throws {
        var stage = dead()
        var strange = try letter(stage)
        strange.id = EffectID(loop: try #require(LoopID("other")), sequence: 0, index: 0)
        #expect(stage.play(.requeue(RequestID(1), strange, plan)).refusals == [.unsupported])
        stage.play(.hold(strange.id.loop))
        #expect(
            stage.play(.requeue(RequestID(1), strange, plan), .drop(RequestID(2), strange.id)).refusals == [
                .held, .held,
            ])
        let stopped = stage.play(
            .stop, .requeue(RequestID(3), try letter(stage), plan), .drop(RequestID(4), first.effect),
            .retry(RequestID(5), first.effect), .look(RequestID(6)))
        #expect(stopped.prefix(3) == [.stopping(RequestID(3)), .stopping(RequestID(4)), .stopping(RequestID(5))])
        #expect(stopped.confirmations == [RequestID(6)])
    }

    @Test func failuresThatCount() throws {
        var stage = Stage.begun(
            .work(.plain(attempt: .seconds(3), keeps: true)), .work(.plain(.atMostOnce, keeps: true)))
        stage.play(.hello(credit: 9))
        stage.wait(.seconds(12))
        let failures = stage.notes.compactMap {
            if case .deadLettered(let letter) = $0 { letter.failures } else { nil }
        }
        #expect(failures == [1, 1])
    }
}

extension [CoordinatorAction] {
    /// The requests that are confirmed.
    fileprivate var confirmations: [RequestID] {
        compactMap { if case .confirm(let request, _) = $0 { request } else { nil } }
    }

    /// Why requests were refused.
    fileprivate var refusals: [ClientRefusal.Code] {
        compactMap { if case .refuse(_, let refusal) = $0 { refusal.code } else { nil } }
    }
}
