import MobiusEngine
import MobiusJournal
import MobiusWire
import Testing

/// Limits that apply to each key by itself.
@Suite struct KeyLimitDialogues {
    private let two = EffectLimit("two", concurrency: 2)

    private func works(_ key: String, _ count: Int, _ policy: EffectPolicy) -> [PlannedEffect] {
        (1...count).map { .work("\(key)\($0)", policy, key: key) }
    }

    @Test func eachKeyHasItsOwn() {
        let policy = EffectPolicy.plain(perKey: two)
        var stage = Stage.begun(works("a", 4, policy) + works("b", 4, policy) + works("c", 1, policy))
        #expect(Set(stage.play(.hello(credit: 9)).ordered) == ["a1", "a2", "b1", "b2", "c1"])
        // Another worker does not change that; the end of one of a's effects does.
        #expect(stage.play(.hello(.bob, credit: 9)).ordered == [])
        #expect(stage.settle(.says(.events(creditTotal: 9, [AttemptID.attempt(0).event()]))).ordered == ["a3"])
        #expect(stage.machine.audit() == [])
    }

    @Test func routesAndPoolsShareIt() {
        let one = EffectPolicy.plain(perKey: EffectLimit("one", concurrency: 1))
        let high = EffectPolicy.plain(priority: 3, perKey: EffectLimit("one", concurrency: 1))
        var stage = Stage.begun(
            .work("a1", pool: "x", one, key: "a"), .work("a2", pool: "y", one, key: "a"),
            .work("a3", pool: "x", high, key: "a"), .work("b1", pool: "y", one, key: "b"))
        #expect(Set(stage.play(.hello(pools: ["x", "y"], credit: 9)).ordered) == ["a3", "b1"])
        #expect(stage.settle(.says(.events(creditTotal: 9, [AttemptID.attempt(2).event()]))).ordered == ["a1"])
        #expect(stage.settle(.says(.events(creditTotal: 9, [AttemptID.attempt(0).event()]))).ordered == ["a2"])
        #expect(stage.machine.audit() == [])
    }

    @Test func anOverallLimitHoldsAsWell() {
        let policy = EffectPolicy.plain(limit: EffectLimit("three", concurrency: 3), perKey: two)
        var stage = Stage.begun(works("a", 4, policy) + works("b", 4, policy))
        #expect(stage.play(.hello(credit: 9)).ordered == ["a1", "b1", "a2"])
        // Room for one more of all, and one more of b.
        #expect(stage.settle(.says(.events(creditTotal: 9, [AttemptID.attempt(0).event()]))).ordered == ["b2"])
        #expect(stage.machine.running(underLimit: "three") == 3)
        #expect(stage.machine.audit() == [])
    }

    @Test func aRateIsEachKeysOwn() {
        let rate = EffectLimit("rate", rate: .init(2, per: .seconds(2)))
        let policy = EffectPolicy.plain(perKey: rate)
        var stage = Stage.begun(works("a", 4, policy) + works("b", 3, policy))
        #expect(stage.play(.hello(credit: 9)).ordered == ["a1", "b1", "a2", "b2"])
        #expect(stage.machine.nextDeadline == .seconds(1))
        #expect(stage.wait(.milliseconds(900), alive: [.ann]).ordered == [])
        #expect(Set(stage.wait(.milliseconds(100), alive: [.ann]).ordered) == ["a3", "b3"])
        #expect(stage.wait(.seconds(1), alive: [.ann]).ordered == ["a4"])
        #expect(stage.machine.audit() == [])
    }

    /// The ways that an effect leaves its worker by: after each, the next one of its key may begin.
    private static let ways: [@Sendable (inout Stage) -> Void] = [
        { $0.reports(AttemptID.attempt(0).event()) },
        { $0.reports(AttemptID.attempt(0).event(1, nil)) },
        { $0.fails(AttemptID.attempt(0).failure(retryable: false)) },
        { $0.fails(AttemptID.attempt(0).failure(retryable: true, delay: 100_000)) },
        { $0.play(.cancel(.effect(0))) },
        { $0.wait(.seconds(31), alive: [.ann]) },
        { $0.play(.says(.bye)) },
        { $0.play(.says(.draining(held: []))) },
        { $0.wait(.seconds(12)) },
    ]

    @Test(arguments: 0..<ways.count) func itIsCountedRight(way: Int) {
        let one = EffectLimit("one", concurrency: 1)
        var stage = Stage.begun(
            .work("1", .plain(attempt: .seconds(30), perKey: one), key: "a"), .work("2", .plain(perKey: one), key: "a"))
        #expect(stage.play(.hello(credit: 9)).ordered == ["1"])
        Self.ways[way](&stage)
        stage.now = stage.now + .milliseconds(1)
        _ = stage.play(.hello(.bob, credit: 9))
        #expect(stage.machine.keyCount > 0)
        #expect(stage.machine.audit() == [])
    }

    @Test func anEffectThatMayStillRunSinceBeforeTheRestartCounts() throws {
        let policy = EffectPolicy.plain(perKey: EffectLimit("one", concurrency: 1))
        var stage = Stage.begun(.work("a1", policy, key: "a"))
        stage.play(.hello(credit: 9))
        try stage.restart()
        stage.ask(.work("a2", policy, key: "a"), .work("b1", policy, key: "b"), by: "more")
        #expect(stage.play(.hello(.bob, credit: 9)).ordered == ["b1"])
        #expect(
            stage.play(.hello(credit: 8, epoch: 1, held: [.attempt(0)])).ordered == [])
        let end = CoordinatorInput.says(
            .events(creditTotal: 9, [AttemptID.attempt(0).event()]), session: 2, epoch: 2)
        #expect(stage.settle(end).ordered == ["a2"])
        #expect(stage.machine.audit() == [])
    }

    @Test func whyAnEffectWaitsNamesTheLimitAndNotTheKey() {
        let policy = EffectPolicy.plain(perKey: EffectLimit("one", concurrency: 1))
        var stage = Stage.begun(works("a", 2, policy))
        stage.play(.hello(credit: 9))
        let obstacle = stage.machine.effect(.effect(1), at: stage.now)?.summary.obstacle
        #expect(obstacle == "limit one of its key: 1 run, and no more may")
    }

    @Test func oneBlockedKeyOfManyIsFoundAgain() {
        let policy = EffectPolicy.plain(perKey: EffectLimit("one", concurrency: 1))
        let effects = (0..<200).flatMap { key in
            (0..<2).map { PlannedEffect.work("\(key) \($0)", policy, key: "\(key)") }
        }
        var stage = Stage.begun(effects)
        #expect(stage.play(.hello(credit: 400)).ordered.count == 200)
        let end = CoordinatorInput.says(.events(creditTotal: 400, [AttemptID.attempt(2 * 117).event()]))
        #expect(stage.settle(end).ordered == ["117 1"])
        #expect(stage.machine.audit() == [])
    }
}
