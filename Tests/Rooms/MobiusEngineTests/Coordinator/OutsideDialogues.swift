import MobiusEngine
import MobiusJournal
import MobiusWire
import Testing

/// Events from outside the effects, and effects that never leave the process.
@Suite struct OutsideDialogues {

    @Test func aRepetitionIsConfirmedAfterAllThatCameBefore() {
        var stage = Stage.begun()
        stage.settle(.outside(1, key: "early"))
        stage.commits = false
        #expect(stage.play(.outside(2, key: "late"), .outside(3, key: "early")) == [])
        #expect(stage.settle() == [.confirm(event: 2, 2), .again(3, key: "early")])
    }

    @Test func eachLoopHasItsOwnKeys() throws {
        let other = try #require(LoopID("other"))
        var stage = Stage.begun()
        stage.settle(.begin(other, effects: []))
        stage.settle(.outside(1, key: "k"))
        #expect(stage.settle(.outside(RequestID(2), other, key: "k", event: .news("you"))) == [.confirm(event: 1, 2)])
        #expect(stage.applied == ["hey", "you"])
    }
}
