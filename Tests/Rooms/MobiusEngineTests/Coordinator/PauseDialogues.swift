import MobiusEngine
import MobiusJournal
import MobiusWire
import Testing

/// Time in which the coordinator itself did not run is nobody's fault.
@Suite struct PauseDialogues {
    private let effect = AttemptID.attempt()

    @Test func anAnswerThatCameMeanwhileCounts() {
        var stage = Stage.working(.work(timeout: .seconds(5)))
        stage.now = .seconds(30)
        #expect(stage.play(.tick).withoutPulses == [])
        stage.now = .seconds(30.9)
        #expect(stage.play(.tick).withoutPulses == [])
        stage.play(.says(.events(creditTotal: 11, [effect.event()])))
        #expect(stage.applied == ["done"])
        #expect(stage.wait(.seconds(5), alive: [.ann]) == [])
        #expect(stage.applied == ["done"])
    }

    @Test func aSecondPauseBeforeTheFlushAfterTheFirstCounts() {
        var stage = Stage.working(.work(timeout: .seconds(5)))
        stage.now = .seconds(30)
        _ = stage.handle(.says(.credit(total: 0)))
        stage.now = .seconds(60)
        #expect(stage.handle(.tick).withoutPulses == [])
        stage.play(.says(.events(creditTotal: 11, [effect.event()])))
        #expect(stage.applied == ["done"])
    }

    @Test func withoutAnAnswerItsTimeIsOverAHeartbeatLater() {
        var stage = Stage.working(.work(timeout: .seconds(5)))
        stage.now = .seconds(30)
        stage.play(.tick)
        #expect(stage.machine.nextDeadline == .seconds(31))
        stage.now = .seconds(31)
        stage.play(.tick)
        #expect(stage.applied == ["failed: the handler did not answer in time on worker \(Incarnation.ann)"])
    }

    @Test func noWorkerIsLostForTheCoordinatorsPause() {
        var stage = Stage.working(.work(timeout: .seconds(500)))
        stage.play(.unreachable(.ann))
        stage.now = .seconds(60)
        #expect(stage.play(.tick).withoutPulses == [])
        stage.now = .seconds(61)
        #expect(stage.play(.tick).withoutPulses == [])
        let isHere = stage.machine.isHere(.ann)
        #expect(isHere)
        #expect(stage.wait(.seconds(5)).contains(.note(.lost(.ann, effects: 1))), "its own silence counts")
    }

    @Test func aPauseThatComesAgainAndAgainDoesNotStopTheTime() {
        var stage = Stage.working(.work(timeout: .seconds(5)))
        for _ in 1...20 {
            stage.now = stage.now + .seconds(1.8)
            stage.play(.says(.credit(total: 0)), .tick)
        }
        #expect(stage.applied == ["failed: the handler did not answer in time on worker \(Incarnation.ann)"])
    }

    @Test func workersHaveTheirGraceFromWhenTheyAreRead() {
        var stage = slowRecovery()
        // With a tick each half second, so that none of it is a pause.
        #expect(stage.wait(.seconds(1.5), alive: [.bob]).orders == [])
        stage.play(.hello(.ann, credit: 1, epoch: 1, held: [effect]))
        #expect(stage.wait(.seconds(1), alive: [.bob]).orders == [], "it goes on where it was")
        #expect(stage.machine.audit() == [])
    }

    @Test func theGraceEndsForThoseWhoDoNotCome() {
        var stage = slowRecovery()
        #expect(stage.wait(.seconds(2), alive: [.bob]).orders(to: .bob) == 1)
    }

    /// Bob is read a minute after the effect of another worker was: recovery took longer than all the grace.
    private func slowRecovery() -> Stage {
        var stage = Stage(epoch: 2)
        let pending = PendingEffect(id: .effect(0), effect: PlannedEffect.work().effect, reported: nil)
        let resumed = ResumedLoop(loop: .main, lastSequence: 0, pending: [(pending, PlannedEffect.work().plan)])
        _ = stage.handle(.recover(resumed))
        stage.now = .seconds(60)
        stage.play(.hello(.bob, credit: 1, epoch: 1))
        return stage
    }
}
