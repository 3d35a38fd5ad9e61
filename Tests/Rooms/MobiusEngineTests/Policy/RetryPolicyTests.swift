import MobiusEngine
import MobiusJournal
import MobiusWire
import Testing

/// Pauses, and failures that are counted over restarts.
@Suite struct RetryPolicyTests {
    /// A peer says how long: 49 days fit into a FAIL.
    @Test func aPauseThatAHandlerNamesIsCutToItsRoutesLongest() {
        var policy = RetryPolicy()
        policy.longestNamed = .seconds(20)
        var stage = Stage.working(.work(EffectPolicy(retry: policy)))
        let failure = AttemptID.attempt().failure(retryable: true, delay: .max)
        stage.play(.says(.failures(creditTotal: 11, [failure])))
        #expect(stage.wait(.seconds(19.5), alive: [.ann]).orders == [])
        #expect(stage.wait(.seconds(1), alive: [.ann]).orders.map(\.id) == [.attempt(0, 2)])
        #expect(RetryPolicy().longestNamed == .seconds(86_400))
    }

    @Test func pausesGrowUpToTheLongest() {
        let retry = RetryPolicy(initial: .seconds(1), factor: 3, maximum: .seconds(20), jitter: 0)
        #expect((1...5).map { retry.pause(afterFailures: $0, chance: 0) } == [1, 3, 9, 20, 20].map { .seconds($0) })
        let slow = RetryPolicy(initial: .seconds(1), factor: 1.01, maximum: .seconds(1000), jitter: 0)
        #expect(slow.pause(afterFailures: 301, chance: 0) > .seconds(19))
    }

    @Test func extremesAreNoTraps() {
        let endless = RetryPolicy(
            attempts: .max, initial: .seconds(Int64.max), factor: .greatestFiniteMagnitude,
            maximum: .seconds(Int64.max),
            jitter: 0)
        #expect(endless.pause(afterFailures: .max, chance: 0) > .seconds(1_000_000))
        #expect(RetryPolicy(initial: .zero, factor: 1e300).pause(afterFailures: 999, chance: 0) == .zero)
        #expect(
            RetryPolicy(initial: .seconds(-1), factor: .nan, jitter: .infinity).pause(afterFailures: 3, chance: 1)
                == .zero)
    }

    @Test func jitterKeepsItsBoundsAndItsSeed() {
        let retry = RetryPolicy(initial: .seconds(10), jitter: 0.5)
        var random = SplitMix64(seed: 3)
        for _ in 0..<1000 {
            let pause = retry.pause(afterFailures: 1, chance: Double.random(in: 0...1, using: &random))
            #expect(pause >= .seconds(5) && pause <= .seconds(10))
        }
        let pauses = [1, 1, 2].map { (seed: UInt64) -> Moment? in
            var stage = Stage(CoordinatorConfiguration(journal: .ours, epoch: 1, seed: seed))
            stage.play(.begin(.main, effects: [.work(.plain(retry: .init(initial: .milliseconds(900), jitter: 1)))]))
            stage.play(.hello())
            stage.fails(AttemptID.attempt().failure(retryable: true))
            return stage.machine.nextDeadline
        }
        #expect(pauses[0] == pauses[1])
        #expect(pauses[0] != pauses[2])
    }

    @Test func failuresAreCountedOverRestarts() throws {
        var stage = Stage.begun(.work(.plain(retry: .init(attempts: 3, jitter: 0))))
        for epoch in 1...3 as ClosedRange<UInt64> {
            stage.play(.hello(.worker(Int(epoch)), credit: 1))
            stage.wait(.milliseconds(2100), alive: [Peer(epoch)])
            let attempt = AttemptID.attempt(0, epoch: epoch)
            let failure = WorkerMessage.failures(creditTotal: 0, [attempt.failure(retryable: true)])
            stage.play(.says(failure, from: Peer(epoch), epoch: epoch))
            if epoch < 3 { try stage.restart() }
        }
        #expect(stage.notes == [.retried(failures: 1), .retried(failures: 2)])
        #expect(stage.applied == ["failed: no"])
    }

    @Test func lostWorkersCountAndNeedNoPause() {
        var stage = Stage.begun(.work(.plain(retry: .init(attempts: 2, initial: .seconds(100)))))
        stage.play(.hello())
        stage.play(.hello(.bob))
        #expect(stage.wait(.seconds(11), alive: [.bob], session: 2).ordered(.bob) == [.attempt(0, 2)])
        #expect(stage.notes == [.retried(failures: 1)])
        stage.play(
            .says(.failures(creditTotal: 0, [AttemptID.attempt(0, 2).failure(retryable: true)]), from: .bob, session: 2)
        )
        #expect(stage.applied == ["failed: no"])
    }

    @Test func localHandlersAreTriedAgainAsWell() throws {
        let policy = EffectPolicy(retry: .init(attempts: 2, initial: .seconds(1), jitter: 0))
        let effect = PlannedEffect(effect: .work("local"), plan: EffectPlan(destination: .local, policy: policy))
        var stage = Stage()
        let begun = stage.play(.begin(.main, effects: [effect]))
        #expect(begun == [.runLocal(.attempt(), .work("local"))])
        let failure = CoordinatorInput.localFailed(.attempt(), retryable: true, delay: 0, reason: "no")
        #expect(stage.play(failure, failure) == [])
        #expect(stage.notes == [.retried(failures: 1)])
        let (start, attempt) = (WallTime(milliseconds: 0), AttemptID.attempt().attempt)
        #expect(stage.remarks == [.failed(attempt, worker: "", reason: "no", at: start)])
        #expect(stage.wait(.seconds(1)) == [.runLocal(.attempt(0, 2), .work("local"))])
        stage.play(.localFailed(.attempt(0, 2), retryable: true, delay: 0, reason: "still no"))
        #expect(stage.applied == ["failed: still no"])
        #expect(stage.notes.count == 2)  // and a dead letter
        #expect(stage.machine.audit() == [])
    }
}
