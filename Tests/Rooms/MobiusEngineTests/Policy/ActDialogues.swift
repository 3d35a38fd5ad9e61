import MobiusEngine
import MobiusJournal
import MobiusWire
import Testing

/// What operators do to pending effects.
@Suite struct ActDialogues {
    private let first = AttemptID.attempt()
    private let request = RequestID(7)

    private func running(_ policy: EffectPolicy = .plain(keeps: true)) -> Stage {
        var stage = Stage.begun(.work(policy))
        stage.play(.hello(credit: 9))
        return stage
    }

    private func act(_ act: EffectAct, event: Payload? = nil, on id: EffectID? = nil) -> CoordinatorInput {
        .act(request, id ?? first.effect, act, event: event, by: "ann", why: "it is lost")
    }

    private func acted(_ stage: borrowing Stage) -> [String] {
        stage.remarks.compactMap {
            guard case .acted(let act, let name, let why, _) = $0 else { return nil }
            return "\(name): \(act), \(why)"
        }
    }

    @Test func cancelledItEndsWithoutAnEventAndItsWorkerForgetsIt() {
        var stage = running()
        let told = stage.play(act(.cancel))
        #expect(told.contains(.confirm(request, repeated: false)))
        #expect(acted(stage) == ["ann: cancel, it is lost"])
        #expect(stage.applied == [] && stage.notes.last == .ended)
        #expect(told.stale() == [first])
        stage.play(.says(.events(creditTotal: 9, [first.event()])))
        #expect(stage.applied == [])
        #expect(stage.play(act(.cancel)) == [.unknown(request)])
        #expect(stage.machine.audit() == [])
    }

    @Test func failedItIsADeadLetterWithThatReason() {
        var stage = running()
        let told = stage.play(act(.fail))
        #expect(told.contains(.confirm(request, repeated: false)))
        #expect(stage.applied == ["failed: it is lost"])
        #expect(
            stage.notes.contains {
                if case .deadLettered(let letter) = $0 { letter.reason == "it is lost" } else { false }
            })
        #expect(stage.machine.audit() == [])
    }

    @Test func completedItEndsWithTheEventAndNoOther() {
        var stage = running()
        let told = stage.play(act(.complete(event: []), event: .news("by hand")))
        #expect(told.contains(.confirm(request, repeated: false)))
        #expect(stage.applied == ["by hand"] && stage.sources.last == .answer(first.effect))
        stage.play(.says(.events(creditTotal: 9, [first.event()])))
        #expect(stage.applied == ["by hand"])
        #expect(stage.machine.snapshotState(of: .main)?.pending ?? [] == [])
        #expect(stage.machine.audit() == [])
    }

    @Test func aTimerFiresNowAndForTheTimeThatWasShownOnly() {
        var stage = Stage.begun(.timer(.every(.seconds(60))))
        stage.play(.wallClock(WallTime(milliseconds: 1000)))
        let shown = stage.machine.effect(first.effect, at: stage.now)?.summary.due
        #expect(stage.play(act(.fire(due: shown))).contains(.confirm(request, repeated: false)))
        #expect(stage.applied.count == 1)
        // Said once more: its next time is another by now.
        #expect(stage.play(act(.fire(due: shown))).contains(.confirm(request, repeated: true)))
        #expect(stage.applied.count == 1)
        // It goes on from there, and each firing has a name of its own.
        stage.play(act(.fire(due: nil)))
        stage.play(act(.fire(due: nil)))
        #expect(stage.applied.count == 3 && Set(stage.sources.map { "\($0)" }).count == stage.sources.count)
        stage.live(.seconds(59))
        #expect(stage.applied.count == 3)
        stage.live(.seconds(2))
        #expect(stage.applied.count == 4)
        #expect(stage.machine.audit() == [])
    }

    @Test func whatIsNoTimerDoesNotFire() {
        var stage = running()
        guard case .refuse(request, let refusal)? = stage.play(act(.fire(due: nil))).first else {
            return #expect(Bool(false))
        }
        #expect(refusal.reason.contains("timer"))
        #expect(acted(stage) == [])
    }

    /// The act ends it wherever it is, and nothing of it is left.
    @Test(arguments: [EffectAct.cancel, .fail, .complete(event: [])])
    func itMayBeInAnyPhase(what: EffectAct) throws {
        let event = Payload.news("by hand")
        let other = try #require(LoopID("other"))
        func ends(_ phase: String, _ id: EffectID? = nil, _ prepare: () -> Stage) {
            var stage = prepare()
            let told = stage.play(act(what, event: event, on: id))
            #expect(told.contains(.confirm(request, repeated: false)), "\(phase)")
            stage.live(.seconds(5))
            let (audit, isLeft) = (stage.machine.audit(), stage.machine.isUnderWay(id ?? first.effect))
            #expect(audit == [] && !isLeft, "\(phase)")
            #expect(stage.applied.filter { $0 != "send" }.count == (what == .cancel ? 0 : 1), "\(phase)")
        }
        ends("waiting") { Stage.begun(.work(.plain(keeps: false))) }
        ends("pausing") {
            var stage = running()
            stage.fails(first.failure(retryable: true))
            return stage
        }
        ends("local") { Stage.begun(.local()) }
        for planned in [PlannedEffect.event("one", for: other), .question("one", for: other, timeout: .seconds(9))] {
            ends("addressed", .effect(0, of: 1)) {
                var stage = Stage.begun([])
                stage.away = [other]
                stage.ask(planned, by: "send")
                stage.live(.seconds(1))
                return stage
            }
        }
        ends("adoptable") {
            var stage = Stage()
            let planned = PlannedEffect.work(.plain(keeps: false))
            let pending = PendingEffect(id: first.effect, effect: planned.effect)
            stage.play(
                .recover(
                    ResumedLoop(loop: .main, lastSequence: 0, pending: [(pending, planned.plan)], outsideKeys: [])))
            return stage
        }
    }

    /// An event that holds its loop is not on disk, and so the act is not confirmed.
    @Test func oneWhoseEventHoldsTheLoopIsRefused() {
        var stage = running()
        let told = stage.play(act(.complete(event: []), event: .news("hold")))
        #expect(told.contains { if case .refuse(request, _) = $0 { true } else { false } })
        #expect(!told.contains(.confirm(request, repeated: false)))
    }

    @Test func itsReasonIsAsLongAsThatOfAHistory() {
        var stage = running()
        let why = String(repeating: "x", count: 5_000)
        stage.play(.act(request, first.effect, .fail, by: "ann", why: why))
        #expect(stage.applied == ["failed: \(why.prefix(500))"])
    }
}
