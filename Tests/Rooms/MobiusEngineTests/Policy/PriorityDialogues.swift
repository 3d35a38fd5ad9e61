import MobiusEngine
import MobiusJournal
import MobiusWire
import Testing

/// Which of the effects that wait goes first.
@Suite struct PriorityDialogues {
    @Test func theHighestPriorityGoesFirstThenTheOldest() {
        var stage = Stage.begun(
            .work("low 1", .plain(priority: -1)), .work("normal 1", .plain()), .work("high 1", .plain(priority: 7)),
            .work("normal 2", .plain()), .work("high 2", .plain(priority: 7)), .work("low 2", .plain(priority: -1)))
        #expect(
            stage.play(.hello(credit: 6)).ordered == ["high 1", "high 2", "normal 1", "normal 2", "low 1", "low 2"])
    }

    @Test func ageCountsAcrossTheLanesOfOnePriority() {
        let some = EffectLimit("some", concurrency: 10)
        var stage = Stage.begun(
            .work("1", .plain()), .work("2", .plain(limit: some)), .work("3", .plain(), affinity: "key"),
            .work("4", .plain()), .work("5", .plain(limit: some)))
        #expect(stage.play(.hello(credit: 5)).ordered == ["1", "2", "3", "4", "5"])
    }

    @Test func whatIsPutBackKeepsItsPlace() {
        var stage = Stage.begun(.work("1", .plain()), .work("2", .plain()), .work("3", .plain()), .work("4", .plain()))
        stage.play(.hello(credit: 1))
        stage.play(.hello(.bob, credit: 1))
        // Bob, who has the younger one, leaves first.
        stage.play(.says(.bye, from: .bob, session: 2))
        stage.play(.says(.bye))
        #expect(stage.play(.hello(.worker(3), credit: 4)).ordered == ["1", "2", "3", "4"])
    }

    @Test func whatIsTriedAgainWaitsBehindWhatWaitsAlready() {
        var stage = Stage.begun(.work("1", .plain()), .work("2", .plain()), .work("3", .plain()))
        stage.play(.hello(credit: 1))
        stage.fails(AttemptID.attempt(0).failure(retryable: true, delay: 10))
        stage.now = .seconds(1)
        stage.play(.tick)
        #expect(stage.play(.says(.credit(total: 4))).ordered == ["2", "3", "1"])
    }

    @Test func poolsThatShareAWorkerTakeTurnsByPriorityAndAge() {
        var stage = Stage.begun(
            .work("a1", pool: "a", .plain()), .work("b1", pool: "b", .plain()), .work("a2", pool: "a", .plain()),
            .work("b2", pool: "b", .plain(priority: 1)), .work("a3", pool: "a", .plain()))
        #expect(stage.play(.hello(pools: ["a", "b"], credit: 5)).ordered.count == 5)
        var starving = Stage.begun(
            .work("a1", pool: "a", .plain()), .work("b1", pool: "b", .plain()), .work("a2", pool: "a", .plain()),
            .work("b2", pool: "b", .plain(priority: 1)))
        #expect(starving.play(.hello(pools: ["a", "b"], credit: 1)).ordered == ["b2"])
        #expect(starving.play(.says(.credit(total: 2))).ordered == ["a1"])
        #expect(starving.play(.says(.credit(total: 3))).ordered == ["b1"])
        #expect(starving.play(.says(.credit(total: 4))).ordered == ["a2"])
    }
}
