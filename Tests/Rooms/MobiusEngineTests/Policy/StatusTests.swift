import MobiusEngine
import MobiusJournal
import MobiusWire
import Testing

/// What operators see.
@Suite struct StatusTests {
    @Test func pagesOfEffects() {
        var stage = Stage.begun((0..<500).map { .work("\($0)", pool: $0 % 5 == 0 ? "a" : "b", .plain()) })
        var seen: [EffectID] = []
        var more = true
        while more {
            let page = stage.machine.statuses(of: .main, after: seen.last, limit: 7, at: stage.now)
            #expect(page.effects.count <= 7)
            seen += page.effects.map(\.id)
            more = page.more
        }
        #expect(seen == (0..<500).map { .effect($0) })
        let pool = stage.machine.statuses(of: nil, pool: "a", after: nil, limit: 60, at: stage.now)
        #expect(pool.effects.map(\.id) == (0..<60).map { .effect($0 * 5) })
        #expect(pool.more)
        #expect(stage.machine.statuses(of: nil, after: nil, limit: -1, at: stage.now).effects == [])
        #expect(stage.machine.statuses(of: LoopID("other"), after: nil, limit: 9, at: stage.now).effects == [])
        stage.play(.hello(pools: ["a"], credit: 1))
        #expect(stage.machine.statuses(of: nil, after: nil, limit: 1, at: stage.now).effects.first?.phase == .running)
    }

    /// However many effects there are, one step looks at no more than it is told to.
    @Test func aLookAtAllIsAStepAtATime() {
        var stage = Stage.begun((0..<500).map { .work("\($0)", pool: $0 % 5 == 0 ? "a" : "b", .plain()) })
        let wishes: [EffectSurvey.Query] = [.status, .page(loop: nil, pool: "a", after: .effect(9), limit: 7)]
        for query in wishes {
            var survey = EffectSurvey(query)
            var steps = 0
            while !survey.isDone {
                stage.machine.look(&survey, rows: 90)
                steps += 1
                #expect(survey.rows == 90 * steps)
                // What comes and goes meanwhile is no matter.
                stage.ask(.work("new \(steps)", pool: "c", .plain()), by: "new \(steps) \(query)")
            }
            #expect((6...7).contains(steps))
            if query == .status {
                var status = FleetStatus(
                    program: "p", build: "b", journal: .ours, epoch: 1, started: WallTime(milliseconds: 0),
                    maximumPayload: 1)
                stage.machine.fill(&status, from: survey, at: stage.now)
                #expect(status.pools.prefix(2).map(\.waiting) == [100, 400])
            } else {
                let page = stage.machine.page(of: survey, at: stage.now)
                #expect(page.effects.map(\.id) == (2..<9).map { .effect($0 * 5) } && page.more)
            }
        }
    }

    @Test func phases() {
        let retry = RetryPolicy(attempts: 3, initial: .seconds(9))
        var stage = Stage.dated(
            .work("1", .plain()), .work("2", .plain(retry: retry)), .work("3", .plain()), .local(),
            .timer(.every(.seconds(10))))
        stage.play(.hello(credit: 2))
        stage.fails(AttemptID.attempt(1).failure(retryable: true))
        stage.live(.seconds(11), alive: [.ann])
        let page = stage.machine.statuses(of: nil, after: nil, limit: 9, at: stage.now).effects
        #expect(page.map(\.phase) == [.running, .waiting, .waiting, .running, .timer])
        #expect(page.map(\.failures) == [0, 1, 0, 0, 0])
        #expect(page.first?.worker == .ann)
        #expect(page.last?.due == WallTime(milliseconds: 20_000))
        #expect(page.allSatisfy { $0.age >= 11_000 })
    }

    /// What waits for its next attempt needs no worker now.
    @Test func readyIsLessThanWaiting() {
        var stage = Stage.dated(
            .work("1", .plain(retry: RetryPolicy(attempts: 3, initial: .seconds(9)))), .work("2", .plain()))
        stage.play(.hello(credit: 1))
        stage.fails(AttemptID.attempt(0).failure(retryable: true))
        var status = FleetStatus(
            program: "p", build: "b", journal: .ours, epoch: 1, started: WallTime(milliseconds: 0), maximumPayload: 1)
        stage.machine.fill(&status, at: stage.now)
        #expect(status.pools.map(\.waiting) == [2])
        #expect(status.pools.map(\.ready) == [1])
    }

    @Test func theWholeFleet() throws {
        var stage = Stage.dated(.work("1", .plain()), .work("2", pool: "other", .plain()))
        stage.play(.hello(credit: 3))
        stage.play(.hold(try #require(LoopID("sick"))))
        stage.now = .seconds(2)
        var status = FleetStatus(
            program: "p", build: "b", journal: .ours, epoch: 1, started: WallTime(milliseconds: 0),
            maximumPayload: 4 << 20)
        status.loops = [LoopStatus(loop: try #require(LoopID("sick")), sequence: 4, pending: 5, isHeld: true)]
        stage.machine.fill(&status, at: stage.now)
        #expect(status.pending == 2 + 5)
        #expect(status.loops.map(\.sequence) == [4, 0])
        #expect(status.loops.map(\.isHeld) == [true, false])
        #expect(status.pools.map(\.pool) == ["pool", "other"])
        #expect(status.pools.map(\.running) == [1, 0])
        #expect(status.pools.map(\.waiting) == [0, 1])
        #expect(status.pools.map(\.credit) == [2, 0])
        #expect(status.pools.map(\.oldest) == [2000, 2000])
        #expect(status.pools.map(\.ready) == [0, 1])
        #expect(status.pools.map(\.oldestReady) == [nil, 2000])
        #expect(status.events == 4)
        #expect(status.workers.map(\.free) == [2])
        #expect(status.workers.map(\.silence) == [2000])
    }
}
