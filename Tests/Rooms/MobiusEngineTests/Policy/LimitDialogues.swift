import MobiusEngine
import MobiusJournal
import MobiusWire
import Testing

/// Limits that routes share.
@Suite struct LimitDialogues {
    private let two = EffectLimit("two", concurrency: 2)

    @Test func noMoreRunAtOnceOverAllWorkersAndPools() {
        let effects = (0..<6).map { PlannedEffect.work("\($0)", pool: $0 % 2 == 0 ? "a" : "b", .plain(limit: two)) }
        var stage = Stage.begun(effects)
        #expect(stage.play(.hello(pools: ["a"], credit: 9)).ordered == ["0", "2"])
        #expect(stage.play(.hello(.bob, pools: ["b"], credit: 9)).ordered == [])
        // The oldest is next, whichever pool has room.
        #expect(stage.settle(.says(.events(creditTotal: 9, [AttemptID.attempt(0).event()]))).ordered == ["1"])
        #expect(stage.settle(.says(.events(creditTotal: 9, [AttemptID.attempt(2).event()]))).ordered == ["3"])
    }

    @Test func whatALimitHoldsBackHoldsBackNothingElse() {
        let one = EffectLimit("one", concurrency: 1)
        var stage = Stage.begun(
            .work("high 1", .plain(priority: 9, limit: one)), .work("high 2", .plain(priority: 9, limit: one)),
            .work("low", .plain(priority: -9)))
        #expect(stage.play(.hello(credit: 9)).ordered == ["high 1", "low"])
    }

    private let first = AttemptID.attempt(0)

    /// The ways that an effect leaves its worker by: after each, the next one of the limit may begin.
    private static let ways: [@Sendable (inout Stage) -> Void] = [
        { $0.reports(AttemptID.attempt(0).event()) },
        { $0.reports(AttemptID.attempt(0).event(1, nil)) },
        { $0.reports(AttemptID.attempt(0).event(1, "unreadable")) },
        { $0.fails(AttemptID.attempt(0).failure(retryable: false)) },
        { $0.fails(AttemptID.attempt(0).failure(retryable: true, delay: 100_000)) },
        { $0.play(.cancel(.effect(0))) },
        { $0.wait(.seconds(31), alive: [.ann]) },
        { $0.play(.says(.bye)) },
        { $0.play(.says(.draining(held: []))) },
        { $0.wait(.seconds(12)) },
        {
            $0.play(.unreachable(.ann)); $0.wait(.seconds(4))
        },
    ]

    @Test(arguments: 0..<ways.count) func itIsCountedRight(way: Int) {
        let one = EffectLimit("one", concurrency: 1)
        var stage = Stage.begun(
            .work("1", .plain(attempt: .seconds(30), limit: one)), .work("2", .plain(limit: one)))
        #expect(stage.play(.hello(credit: 9)).ordered == ["1"])
        Self.ways[way](&stage)
        stage.now = stage.now + .milliseconds(1)
        _ = stage.play(.hello(.bob, credit: 9))
        #expect(stage.machine.running(underLimit: "one") == 1)
        #expect(stage.machine.audit() == [])
    }

    @Test func anEffectThatMayStillRunSinceBeforeTheRestartCounts() throws {
        let one = EffectLimit("one", concurrency: 1)
        var stage = Stage.begun(.work("1", .plain(limit: one)))
        stage.play(.hello(credit: 9))
        try stage.restart()
        stage.ask(.work("2", .plain(limit: one)), by: "more")
        #expect(stage.play(.hello(.bob, credit: 9)).ordered == [])
        #expect(stage.play(.hello(credit: 8, epoch: 1, held: [first])).ordered == [])
        #expect(stage.machine.running(underLimit: "one") == 1)
        let end = CoordinatorInput.says(.events(creditTotal: 9, [first.event()]), session: 2, epoch: 2)
        #expect(stage.settle(end).ordered == ["2"])
    }

    @Test func aRateWithABurstOfOneLetsNoMoreGoThanItSays() {
        let rate = EffectLimit("rate", rate: .init(2, per: .seconds(1), burst: 1))
        var stage = Stage.begun((0..<5).map { .work("\($0)", .plain(limit: rate)) })
        #expect(stage.play(.hello(credit: 9)).ordered == ["0"])
        #expect(stage.wait(.milliseconds(400), alive: [.ann]).ordered == [])
        #expect(stage.wait(.milliseconds(100), alive: [.ann]).ordered == ["1"])
        #expect(stage.wait(.milliseconds(500), alive: [.ann]).ordered == ["2"])
        // Quiet earns no more than the burst.
        stage.wait(.seconds(1), alive: [.ann])
        stage.wait(.seconds(9), alive: [.ann])
        let more = stage.ask(.work("5", .plain(limit: rate)), .work("6", .plain(limit: rate)), by: "x")
        #expect(more.ordered == ["5"])
    }

    @Test func aBurstBetweenOneAndTheRateIsTheBucket() {
        let rate = EffectLimit("rate", rate: .init(4, per: .seconds(4), burst: 2))
        var stage = Stage.begun((0..<6).map { .work("\($0)", .plain(limit: rate)) })
        #expect(stage.play(.hello(credit: 9)).ordered == ["0", "1"])
        #expect(stage.wait(.seconds(1), alive: [.ann]).ordered == ["2"])
        #expect(stage.wait(.seconds(1), alive: [.ann]).ordered == ["3"])
    }

    @Test func aRateLetsABurstGoAndThenOneByOne() {
        let rate = EffectLimit("rate", rate: .init(3, per: .seconds(3)))
        var stage = Stage.begun((0..<6).map { .work("\($0)", .plain(limit: rate)) })
        #expect(stage.play(.hello(credit: 9)).ordered == ["0", "1", "2"])
        #expect(stage.machine.nextDeadline == .seconds(1))
        #expect(stage.wait(.milliseconds(900), alive: [.ann]).ordered == [])
        #expect(stage.wait(.milliseconds(100), alive: [.ann]).ordered == ["3"])
        #expect(stage.wait(.seconds(1), alive: [.ann]).ordered == ["4"])
        #expect(stage.wait(.seconds(1), alive: [.ann]).ordered == ["5"])
        // Two seconds of quiet earn two at once.
        stage.wait(.seconds(2), alive: [.ann])
        let more = stage.ask(
            .work("6", .plain(limit: rate)), .work("7", .plain(limit: rate)), .work("8", .plain(limit: rate)), by: "x")
        #expect(more.ordered == ["6", "7"])
    }
}
