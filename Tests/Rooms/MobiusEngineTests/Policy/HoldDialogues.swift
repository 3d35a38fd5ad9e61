import MobiusEngine
import MobiusJournal
import MobiusWire
import Testing

/// Loops that cannot go on for now, and what their workers do meanwhile.
@Suite struct HoldDialogues {
    private let old = AttemptID.attempt()

    private func held() -> Stage {
        var stage = Stage(epoch: 2)
        stage.play(.hold(.main))
        stage.play(.hello(credit: 3, epoch: 1, held: [old]))
        return stage
    }

    private func resumed(_ planned: PlannedEffect) -> CoordinatorInput {
        let pending = PendingEffect(id: old.effect, effect: planned.effect)
        return .recover(ResumedLoop(loop: .main, lastSequence: 0, pending: [(pending, planned.plan)]))
    }

    @Test func whatItsWorkersReportIsNeitherAcknowledgedNorStale() {
        var stage = held()
        let events = CoordinatorInput.says(.events(creditTotal: 3, [old.event()]), epoch: 2)
        let list = CoordinatorInput.says(.heartbeat(creditTotal: 3, held: [HeldAttempt(id: old)]), epoch: 2)
        #expect(stage.play(events, list, list) == [])
        #expect(stage.applied == [])
        let refused = stage.play(.outside(1, key: "k"))
        guard case .refuse(RequestID(1), let refusal)? = refused.first else { return #expect(Bool(false)) }
        #expect(refusal.code == .held)
    }

    @Test func whenItGoesOnItsEffectsAreAdopted() {
        var stage = held()
        #expect(stage.play(resumed(.work())) == [.says(.resync, epoch: 2)])
        // What was on its way before the HELLO is not stale.
        #expect(stage.play(.says(.events(creditTotal: 3, [old.event()]), epoch: 2)) == [])
        #expect(stage.play(.says(.heartbeat(creditTotal: 3, held: [HeldAttempt(id: old)]), epoch: 2)) == [])
        let joined = stage.play(.hello(credit: 2, epoch: 2, held: [old]))
        #expect(joined.notes == [.joined(.ann, pools: ["pool"], build: "b", adopted: 1)])
        stage.play(.says(.events(creditTotal: 3, [old.event()]), session: 2, epoch: 2))
        #expect(stage.applied == ["done"])
        #expect(stage.play(.outside(1, key: "k")).confirmed == [RequestID(1)])
    }

    @Test func itsGraceTimeIsItsOwn() throws {
        var stage = held()
        let other = try #require(LoopID("other"))
        let pending = PendingEffect(id: EffectID(loop: other, sequence: 0, index: 0), effect: .work("other"))
        let plan = PlannedEffect.work().plan
        stage.play(.recover(ResumedLoop(loop: other, lastSequence: 0, pending: [(pending, plan)])))
        stage.now = .seconds(1.9)
        stage.play(resumed(.work()))
        stage.now = .seconds(2.1)
        #expect(stage.play(.tick).orders.filter { $0.id.effect == old.effect } == [])
        #expect(stage.play(.hello(credit: 2, epoch: 2, held: [old])).notes.count == 1)
        #expect(stage.wait(.seconds(4)).orders.allSatisfy { $0.id.effect != old.effect || $0.id != old })
    }

    @Test func oneThatHasNotBegunBeginsWhenItGoesOn() {
        var stage = held()
        stage.play(.begin(.main, effects: []))
        #expect(stage.play(.outside(1, key: "k")).confirmed == [RequestID(1)])
    }

    /// One that ran until now: its work stays where it is, and nobody is told that what came of it is on disk.
    @Test func oneThatRanIsSetAside() throws {
        let other = try #require(LoopID("other"))
        var stage = Stage.begun(.work("1"), .work("2"), .work("3"), .timer(.every(.seconds(5))), .local())
        stage.play(.wallClock(WallTime(milliseconds: 0)))
        let limited = PlannedEffect.work("4", .plain(limit: EffectLimit("few", concurrency: 2)))
        stage.play(.begin(other, effects: [limited]), .hello(credit: 3))
        stage.commits = false
        stage.play(.says(.events(creditTotal: 3, [AttemptID.attempt(0).event()])))
        _ = stage.handle(.hold(.main))
        #expect(stage.machine.audit() == [])
        // What it applied before is acknowledged once it is on disk.
        #expect(stage.commit().acknowledged() == [AttemptID.attempt(0).report(1)])
        let second = AttemptID.attempt(1)
        let list = CoordinatorInput.says(.heartbeat(creditTotal: 3, held: [HeldAttempt(id: second)]))
        let later = stage.play(.says(.events(creditTotal: 3, [second.event(1, nil, final: true)])), list)
        #expect(later.acknowledged() == [] && later.stale() == [])
        #expect(stage.machine.snapshotState(of: .main) == nil)
        #expect(stage.machine.snapshotState(of: other)?.pending.count == 1)
        stage.wait(.seconds(30))
        #expect(stage.machine.audit() == [])
        guard case .refuse(_, let refusal)? = stage.play(.outside(1, key: "k")).first else {
            return #expect(Bool(false))
        }
        #expect(refusal.code == .held)
    }

    /// An end that came in one message with an event which is not applied is not on disk without that.
    @Test func anEndBehindAnEventThatHoldsItIsForgotten() {
        var stage = Stage.begun(.work("1"))
        stage.play(.hello(credit: 3))
        let first = AttemptID.attempt(0)
        let reports = [first.event(1, "odd", final: false), first.event(2, nil, final: true)]
        _ = stage.handle(.says(.events(creditTotal: 3, reports)))
        _ = stage.handle(.hold(.main))
        #expect(stage.play().acknowledged() == [])
        #expect(stage.notes == [])
    }
}
