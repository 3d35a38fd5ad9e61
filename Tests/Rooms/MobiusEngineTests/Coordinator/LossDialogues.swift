import MobiusEngine
import MobiusWire
import Testing

/// Workers that fall silent, go, or come back.
@Suite struct LossDialogues {
    private let first = AttemptID.attempt()
    private let second = AttemptID.attempt(0, 2)

    /// Ann in session 1 holds the effect, Bob in session 2 is idle.
    private func annAndBob(_ effects: PlannedEffect..., bob credit: UInt64 = 5) -> Stage {
        var stage = Stage.begun(effects)
        stage.settle(.hello(.ann, credit: UInt64(effects.count)))
        stage.settle(.hello(.bob, credit: credit))
        return stage
    }

    @Test func aZombieIsToldToSayHelloAndForgets() {
        var stage = annAndBob(.work())
        stage.wait(.seconds(11), alive: [.bob], session: 2)
        let report = CoordinatorInput.says(.events(creditTotal: 2, [first.event()]))
        #expect(stage.settle(report) == [.says(.resync, session: 1)])
        let greeting = stage.settle(.hello(.ann, epoch: 1, held: [first]))
        #expect(greeting.contains(.welcome(session: 3)))
        #expect(greeting.stale() == [first])
        #expect(stage.settle(.says(.events(creditTotal: 2, [first.event()]), session: 3)).stale() == [first])
        #expect(stage.applied == [])
        #expect(
            stage.settle(.says(.events(creditTotal: 2, [second.event()]), from: .bob, session: 2)).acknowledged(.bob)
                == [second.report(1)])
        #expect(stage.applied == ["done"])
    }

    @Test func aConnectionThatOnlyStumbledCostsNothing() {
        var stage = annAndBob(.work())
        stage.settle(.unreachable(.ann))
        let later = stage.wait(.seconds(5), alive: [.ann])
        #expect(later.ordered(.bob) == [])
        #expect(!later.notes.contains(.lost(.ann, effects: 1)))
    }

    @Test func anUnreachableWorkerGetsNothingNew() {
        var stage = Stage.begun()
        stage.update = ["ask": [.work()]]
        stage.settle(.hello(.ann, credit: 9), .hello(.bob, credit: 1), .unreachable(.ann))
        let actions = stage.settle(.outside(1, key: "k", "ask"))
        #expect(actions.ordered(.ann) == [])
        #expect(actions.ordered(.bob) == [.attempt(0, of: 1)])
    }

    @Test func aDrainingWorkerKeepsWhatItHolds() {
        var stage = annAndBob(.work(attempts: 1), .work(attempts: 1), bob: 1)
        stage.update = ["done": [.work()]]
        let actions = stage.settle(.says(.draining(held: [HeldAttempt(id: first)])))
        #expect(actions.notes == [.draining(.ann)])
        #expect(actions.ordered(.bob) == [.attempt(1, 2)])
        let report = stage.settle(.says(.events(creditTotal: 9, [first.event()])))
        #expect(report.acknowledged() == [first.report(1)])
        // What this asked for waits for Bob: Ann gets nothing new, whatever room she has.
        #expect(report.ordered() == [])
        #expect(stage.settle(.says(.credit(total: 2), from: .bob, session: 2)).ordered(.bob) == [.attempt(0, of: 1)])
        #expect(stage.settle(.says(.bye)).notes == [.left(.ann, effects: 0)])
    }
}
