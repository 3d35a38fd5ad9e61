import MobiusEngine
import MobiusJournal
import MobiusWire
import Testing

/// How many loops may be: beyond the limit none begins, and those that are there go on.
@Suite struct LoopLimitDialogues {
    private func stage(_ most: Int) -> Stage {
        var configuration = CoordinatorConfiguration(journal: .ours, epoch: 1)
        configuration.maximumLoops = most
        var stage = Stage(configuration)
        stage.play(.begin(.main, effects: []))
        return stage
    }

    private let other = LoopID("other") ?? .main
    private let third = LoopID("third") ?? .main

    @Test func beyondTheLimitNoneBeginsAndTheReasonNamesIt() {
        var stage = stage(2)
        #expect(stage.machine.refusalToBegin(other) == nil)
        stage.play(.begin(other, effects: []))
        let refusal = stage.machine.refusalToBegin(third)
        #expect(refusal?.code == .tooManyLoops)
        #expect(
            refusal?.reason
                == "The coordinator has 2 loops, and its limit is 2 (--max-loops): the loop third cannot begin. "
                + "Events of other loops are taken.")
        #expect(stage.machine.keptLoops == 2)
        #expect(stage.play(.outside(1, key: "1")) == [.confirm(event: 1, 1)])
    }

    @Test func aLoopThatIsHeldCountsAndIsNotRefused() {
        var stage = stage(2)
        stage.play(.begin(other, effects: []))
        stage.play(.hold(other))
        #expect(stage.machine.refusalToBegin(other) == nil)
        #expect(stage.machine.refusalToBegin(third) != nil)
    }

    @Test func anEndedLoopCountsAndMayBeginAgain() {
        var stage = stage(2)
        stage.play(
            .recoverEnded(
                EndedLoop(
                    loop: other, sequence: 3, time: WallTime(milliseconds: 0), mayBeginAgain: true, outstanding: 0),
                pending: []))
        #expect(stage.machine.refusalToBegin(other) == nil)
        #expect(stage.machine.refusalToBegin(third) != nil)
    }

    @Test func recoveryIsNotLimited() {
        var stage = stage(1)
        stage.play(.recover(ResumedLoop(loop: other, lastSequence: 3, pending: [], outsideKeys: [])))
        #expect(stage.machine.keptLoops == 2)
    }
}
