import MobiusEngine
import MobiusJournal
import MobiusWire
import Testing

/// Why effects wait, as operators are told.
@Suite struct ObstacleDialogues {
    private func obstacles(_ stage: borrowing Stage) -> [String] {
        stage.machine.statuses(of: nil, after: nil, limit: 99, at: stage.now).effects.map(\.obstacle)
    }

    @Test func noWorker() throws {
        var stage = Stage.begun(.work())
        #expect(obstacles(stage) == ["no worker serves pool"])
        stage.play(.hello(pools: ["other"], credit: 1))
        #expect(obstacles(stage) == ["no worker serves pool"])
        stage.play(.hello(.bob, credit: 1))
        #expect(obstacles(stage) == [""])
        let found = stage.machine.effect(.effect(0), at: stage.now)
        let (summary, payload) = try #require(found)
        #expect(summary.phase == .running && payload.kind == summary.kind)
        #expect(stage.machine.effect(.effect(7), at: stage.now) == nil)
    }

    @Test func noSlot() {
        var stage = Stage.begun(.work("1"), .work("2"))
        stage.play(.hello(credit: 1))
        #expect(obstacles(stage) == ["", "no free slot on the only worker of pool"])
        stage.play(.hello(.bob, credit: 0))
        #expect(obstacles(stage) == ["", "no free slot on any of the 2 workers of pool"])
    }

    @Test func aLimit() {
        let one = EffectLimit("shop", concurrency: 1)
        var stage = Stage.begun(.work("1", .plain(limit: one)), .work("2", .plain(limit: one)))
        stage.play(.hello(credit: 9))
        #expect(obstacles(stage) == ["", "limit shop: 1 run, and no more may"])
    }

    @Test func aRateWithItsTime() {
        let rate = EffectLimit("api", rate: .init(1, per: .seconds(10)))
        var stage = Stage.dated(.work("1", .plain(limit: rate)), .work("2", .plain(limit: rate)))
        stage.play(.hello(credit: 9))
        let second = stage.machine.effect(.effect(1), at: stage.now)?.summary
        #expect(second?.obstacle == "limit api: its rate")
        #expect(second?.due.map { $0.milliseconds > 0 } == true)
    }

    @Test func aBackoffWithItsEnd() {
        let retry = RetryPolicy(attempts: 3, initial: .seconds(9), jitter: 0)
        var stage = Stage.dated(.work("1", .plain(retry: retry)))
        stage.play(.hello(credit: 2))
        stage.fails(AttemptID.attempt(0).failure(retryable: true))
        let effect = stage.machine.effect(.effect(0), at: stage.now)?.summary
        #expect(effect?.phase == .pausing)
        #expect(effect?.obstacle == "backoff after a failed attempt")
        let now = WallTime(milliseconds: stage.now.nanoseconds / 1_000_000)
        #expect(effect?.due.map { $0.milliseconds - now.milliseconds <= 9000 } == true)
    }

    @Test func aStart() throws {
        var stage = Stage.begun(.work("1", .plain()))
        stage.play(.hello(credit: 1))
        stage.reroute(.work("1", .plain()))
        try stage.restart()
        #expect(obstacles(stage) == ["the coordinator has just started, and a worker may still run it"])
    }
}
