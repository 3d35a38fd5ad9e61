import MobiusEngine
import MobiusJournal
import MobiusWire
import Testing

/// Pools that operators pause.
@Suite struct PausedPoolDialogues {
    private let pause = PoolPause(by: "ada", why: "the provider is down", since: WallTime(milliseconds: 1_000))
    private let first = AttemptID.attempt()

    private func paused(_ request: UInt64? = 7, _ pool: String = "pool") -> CoordinatorInput {
        .pause(pause, of: pool, request.map { RequestID($0) })
    }

    private func resumed(_ request: UInt64? = 8) -> CoordinatorInput {
        .pause(nil, of: "pool", request.map { RequestID($0) })
    }

    @Test func nothingNewStartsUntilItIsResumed() {
        var stage = Stage.begun(.work("x"), .work("y", pool: "other"))
        #expect(stage.play(paused()) == [.confirm(RequestID(7), repeated: false)])
        #expect(stage.play(.hello(pools: ["pool", "other"], credit: 9)).ordered == ["y"])
        #expect(stage.play(resumed()).ordered == ["x"])
        #expect(stage.machine.audit() == [])
    }

    @Test func whatRunsGoesOnAndItsNextAttemptWaits() {
        var stage = Stage.begun(.work(.plain(keeps: false)))
        stage.play(.hello(credit: 9))
        stage.play(paused())
        stage.fails(first.failure(retryable: true))
        #expect(stage.live(.seconds(60), alive: [.ann]).ordered == [])
        #expect(stage.play(resumed()).ordered.count == 1)
        stage.play(paused())
        let second = AttemptID.attempt(0, 2)
        stage.play(.says(.events(creditTotal: 9, [second.event()])))
        #expect(stage.applied.last == "done")
        #expect(stage.machine.audit() == [])
    }

    /// It may run at most once: its handler cannot have begun, so the effect has not failed.
    @Test func anOrderThatWasLostIsNotSentAgainUntilItIsResumed() {
        for delivery in [EffectPolicy.Delivery.atLeastOnce, .atMostOnce] {
            var stage = Stage.begun(.work(.plain(delivery)))
            stage.play(.hello(credit: 9))
            stage.play(paused())
            #expect(stage.play(.holds(of: 1)).ordered == [])
            #expect(stage.live(.seconds(60), alive: [.ann]).ordered == [])
            #expect(stage.machine.effect(first.effect, at: stage.now)?.summary.phase == .waiting)
            #expect(stage.play(resumed()).ordered.count == 1)
            #expect(stage.machine.audit() == [])
        }
    }

    /// The same when the worker says in a new session what it holds.
    @Test func norInANewSession() {
        var stage = Stage.working(.work("a"), .work("b"))
        stage.play(paused())
        #expect(stage.play(.hello(credit: 1, epoch: 1, held: [.attempt(1)])).ordered == [])
        #expect(stage.play(resumed()).ordered == ["a"])
        #expect(stage.machine.audit() == [])
    }

    @Test func timeOutsGoOn() {
        var stage = Stage.begun(.work(.plain(start: .seconds(5))))
        stage.play(paused(), .hello(credit: 9))
        stage.live(.seconds(6), alive: [.ann])
        #expect(stage.applied.count == 1 && stage.applied[0].hasPrefix("failed"))
    }

    /// One that runs at most once may have started before the pause, and its order waits for the disk.
    @Test func itIsConfirmedBehindTheOrdersOfBefore() {
        var stage = Stage.begun(.work(.plain(.atMostOnce)))
        stage.commits = false
        stage.play(.hello(credit: 9))
        #expect(stage.play(paused()) == [])
        let told = stage.commit()
        let order = told.firstIndex {
            if case .send(_, let sent) = $0, case .effects = sent.message { true } else { false }
        }
        let confirmation = told.firstIndex(of: .confirm(RequestID(7), repeated: false))
        #expect(told.ordered.count == 1)
        #expect(order != nil && confirmation != nil && order! < confirmation!)
    }

    @Test func aRecoveredOneIsInForceBeforeAnythingStarts() throws {
        var stage = Stage.begun(.work("x"))
        stage.play(paused(nil))
        try stage.restart()
        stage.play(paused(nil))
        #expect(stage.play(.hello(credit: 9, epoch: 2)).ordered == [])
        #expect(stage.live(.seconds(10), alive: [.ann]).ordered == [])
        #expect(stage.play(resumed(nil)).ordered == ["x"])
    }

    @Test func itIsShown() {
        var stage = Stage.begun(.work("x"))
        stage.play(paused(), .hello(credit: 9))
        let sentence = "the pool pool is paused by ada since 1970-01-01T00:00:01.000Z: the provider is down"
        #expect(stage.machine.effect(first.effect, at: stage.now)?.summary.obstacle == sentence)
        #expect(stage.machine.poolStatuses(at: stage.now).map(\.pause) == [pause])
        // One that nobody uses is shown, too.
        stage.play(paused(nil, "idle"))
        #expect(stage.machine.poolStatuses(at: stage.now).map(\.pool) == ["pool", "idle"])
        stage.play(resumed())
        #expect(stage.machine.effect(first.effect, at: stage.now)?.summary.obstacle == "")
    }

    /// What waits there takes nothing of what others could use.
    @Test func itClaimsNoUnitsOfTheCluster() {
        var configuration = CoordinatorConfiguration(journal: .ours, epoch: 1)
        configuration.sharesLimits = true
        var stage = Stage(configuration)
        let limit = EffectLimit("api", concurrency: 3, scope: .cluster)
        stage.play(.begin(.main, effects: [.work(.plain(limit: limit))]))
        func wanted(_ actions: [CoordinatorAction]) -> [Int]? {
            actions.compactMap { if case .demand(let demands) = $0 { demands.map(\.wanted) } else { nil } }.last
        }
        #expect(wanted(stage.play(.hello(credit: 9))) == [1])
        #expect(wanted(stage.play(paused())) == [0])
        #expect(wanted(stage.play(resumed())) == [1])
    }

    @Test func oneThatIsAskedForWhileItStopsIsAskedForAgain() {
        var stage = Stage.begun(.work("x"))
        stage.commits = false
        stage.play(.stop)
        #expect(stage.handle(paused()) == [.stopping(RequestID(7))])
    }
}
