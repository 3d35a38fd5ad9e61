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
        #expect(stage.play(.outside(1, key: "k")) == [.confirm(RequestID(1), repeated: false)])
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
}
