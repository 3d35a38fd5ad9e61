import MobiusEngine
import MobiusJournal
import MobiusWire
import Testing

/// Loops that have ended and begun again: what their earlier life asked for is none of their business.
@Suite struct EarlierLifeDialogues {
    private let other: LoopID

    init() throws {
        other = try #require(LoopID("other"))
    }

    /// The loop `main` in its second life, which began with event 2; the event 1 of its first sent something to `other`,
    /// which is held.
    private func stage() -> Stage {
        var stage = Stage()
        stage.play(.wallClock(WallTime(milliseconds: 1_000)), .begin(.main, effects: [.work("first")]), .hold(other))
        stage.update["last"] = [.event("bye", for: other), .end(mayBeginAgain: true)]
        stage.play(.outside(1, key: "k", "last"))
        stage.play(.lookedUp(RequestID(2), .main, key: "again", event: .news("again"), isApplied: false))
        #expect(stage.applied == ["last", "again"])
        return stage
    }

    @Test(arguments: [false, true])
    func aFailedSendIsNotToldToTheNextLifeAlsoAfterARestart(isRestarted: Bool) throws {
        var stage = stage()
        if isRestarted { try stage.restart() }
        stage.play(.hold(other))
        stage.play(.undelivered(.effect(0, of: 1), reason: "it cannot begin"))
        stage.live(.seconds(1))
        #expect(stage.applied == ["last", "again"])
        #expect(stage.machine.snapshotState(of: .main)?.pending == [])
        #expect(stage.machine.audit() == [])
    }

    @Test(arguments: [false, true])
    func aDeadLetterIsNotRetriedInTheNextLife(isRestarted: Bool) throws {
        var stage = stage()
        if isRestarted { try stage.restart() }
        let letter = DeadLetter(id: .effect(0), effect: .news("first"), reason: "x", failures: 1)
        let plan = EffectPlan(destination: .pool("workers"))
        let answer = stage.play(.requeue(RequestID(9), letter, plan))
        guard case .refuse(RequestID(9), let refusal)? = answer.last else { return #expect(Bool(false), "\(answer)") }
        #expect(refusal.code == .ended)
        #expect(refusal.reason.contains("of its earlier life: drop the dead letter"))
        #expect(stage.play(.drop(RequestID(10), letter.id)).contains(.confirm(RequestID(10), repeated: false)))
        // One of its own life may be retried.
        let own = DeadLetter(id: .effect(0, of: 3), effect: .news("own"), reason: "x", failures: 1)
        #expect(stage.play(.requeue(RequestID(11), own, plan)).contains(.confirm(RequestID(11), repeated: false)))
    }
}
