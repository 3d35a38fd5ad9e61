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

    @Test func aKindHasItsOwnLimitWhichHeldEndedAndIdleLoopsFill() throws {
        var configuration = CoordinatorConfiguration(journal: .ours, epoch: 1)
        configuration.kinds = LoopKinds([.init("order", limit: 3), .init("order-x"), .init("note", limit: 2)])
        var stage = Stage(configuration)
        func loop(_ name: String) throws -> LoopID { try #require(LoopID(name)) }
        func counts() -> [[Int]] { stage.machine.loopsByKind.map { [$0.loops, $0.held, $0.kept] } }
        // What the journal has besides.
        stage.play(.idleLoops(IdleTotals(loops: 2, events: 9), ofKinds: [1, 1, 0]))
        #expect(stage.machine.loopsByKind.map(\.kind) == ["order", "order-x", "note"])
        #expect(counts() == [[1, 0, 1], [1, 0, 1], [0, 0, 0]])
        let (one, two) = (try loop("order/1"), try loop("order/2"))
        for name in ["order-x/1", "orders", "orde", "order"] { stage.play(.begin(try loop(name), effects: [])) }
        #expect(stage.machine.refusalToBegin(one) == nil)
        stage.play(.begin(one, effects: []))
        #expect(counts() == [[3, 0, 3], [2, 0, 2], [0, 0, 0]])
        let refusal = stage.machine.refusalToBegin(two)
        #expect(refusal?.code == .tooManyLoops)
        #expect(
            refusal?.reason
                == "The coordinator has as many loops of the kind order as its program's limit, 3 (maximumLoops): "
                + "the loop order/2 cannot begin. Events of other loops are taken.")
        stage.machine.noteRefused(two)
        #expect(stage.play(.tick).contains(.note(.loopRefused(two, limit: 3, kind: "order"))))
        #expect(stage.machine.refusalToBegin(try loop("order-x/2")) == nil)
        #expect(stage.machine.refusalToBegin(try loop("other")) == nil)
        // One that is held, or read again, is the same one.
        stage.play(.hold(one))
        #expect(counts() == [[3, 1, 3], [2, 0, 2], [0, 0, 0]])
        #expect(stage.machine.refusalToBegin(one) == nil)
        stage.play(
            .recover(ResumedLoop(loop: two, lastSequence: 3, pending: [], outsideKeys: [])),
            .returned(two, sequence: 3))
        #expect(counts() == [[3, 1, 3], [2, 0, 2], [0, 0, 0]])
        // One that has ended counts until nothing of it is left.
        let ended = EndedLoop(
            loop: try loop("note/1"), sequence: 3, time: WallTime(milliseconds: 0), mayBeginAgain: true, outstanding: 0)
        stage.play(.recoverEnded(ended, pending: []))
        #expect(counts() == [[3, 1, 3], [2, 0, 2], [0, 0, 1]])
        stage.play(.begin(try loop("note/3"), effects: []))
        #expect(stage.machine.refusalToBegin(ended.loop) == nil)
        #expect(stage.machine.refusalToBegin(try loop("note/2")) != nil)
        stage.play(.begin(ended.loop, effects: []))
        #expect(counts() == [[3, 1, 3], [2, 0, 2], [2, 0, 2]])
    }

    @Test func aProgramOfOneLoopHasTheOneOfItsKindsName() throws {
        var configuration = CoordinatorConfiguration(journal: .ours, epoch: 1)
        configuration.kinds = LoopKinds([.init("tally", limit: 1)])
        var stage = Stage(configuration)
        let (only, former) = (try #require(LoopID("tally")), try #require(LoopID("tally/x")))
        #expect(
            stage.machine.refusalToBegin(former)?.reason
                == "The program of the kind tally has one loop, tally (maximumLoops): the loop tally/x cannot begin. "
                + "Events of other loops are taken.")
        // One of an earlier build goes on, and does not take its place.
        stage.play(.recover(ResumedLoop(loop: former, lastSequence: 3, pending: [], outsideKeys: [])))
        #expect(stage.machine.refusalToBegin(former) == nil)
        #expect(stage.machine.refusalToBegin(only) == nil)
    }

    @Test func recoveryIsNotLimited() {
        var stage = stage(1)
        stage.play(.recover(ResumedLoop(loop: other, lastSequence: 3, pending: [], outsideKeys: [])))
        #expect(stage.machine.keptLoops == 2)
    }
}
