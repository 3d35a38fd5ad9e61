import MobiusEngine
import MobiusJournal
import MobiusWire
import Testing

/// Events from outside the effects, and effects that never leave the process.
@Suite struct OutsideDialogues {

    private func confirm(_ request: UInt64) -> CoordinatorAction {
        .confirm(RequestID(request), repeated: false)
    }

    private func repeated(_ request: UInt64) -> CoordinatorAction {
        .confirm(RequestID(request), repeated: true)
    }

    @Test func aRepetitionIsConfirmedAfterAllThatCameBefore() {
        var stage = Stage.begun()
        stage.settle(.outside(1, key: "early"))
        stage.commits = false
        #expect(stage.play(.outside(2, key: "late"), .outside(3, key: "early")) == [])
        #expect(stage.settle() == [confirm(2), repeated(3)])
    }

    @Test func eachLoopHasItsOwnKeys() throws {
        let other = try #require(LoopID("other"))
        var stage = Stage.begun()
        stage.settle(.begin(other, effects: []))
        stage.settle(.outside(1, key: "k"))
        #expect(stage.settle(.outside(RequestID(2), other, key: "k", event: .news("you"))) == [confirm(2)])
        #expect(stage.applied == ["hey", "you"])
    }
}
