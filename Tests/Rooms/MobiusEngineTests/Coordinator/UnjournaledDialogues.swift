import MobiusEngine
import MobiusJournal
import MobiusWire
import Testing

/// Effects that no event asked for, effects that are no longer wanted, and loops that end: what a pool without a journal
/// says to the machine.
@Suite struct UnjournaledDialogues {
    private let asked = EffectID.effect(0, of: 7)
    private let first = AttemptID.attempt(0, of: 7)
    private let second = AttemptID.attempt(0, of: 7, 2)

    private func done(_ attempt: AttemptID) -> CoordinatorInput {
        .says(.events(creditTotal: 0, [attempt.event()]))
    }

    @Test func anEffectGoesToItsPoolWithoutAWordToTheJournal() {
        var stage = Stage.working()
        let written = stage.records.count
        #expect(stage.play(.submit(asked, .work())) == [.says(.effects(after: 0, [first.order()]))])
        #expect(stage.records.count == written)
        #expect(stage.play(done(first)) == [.says(.ack([first.report(1)]))])
        #expect(stage.applied == ["done"])
    }

    @Test func itWaitsForAWorkerAndGoesToAnotherOneAfterALoss() {
        var stage = Stage.begun()
        stage.play(.submit(asked, .work(attempts: 2)))
        #expect(stage.settle(.hello(.ann)).ordered(.ann) == [first])
        #expect(stage.settle(.hello(.bob)).ordered(.bob) == [])
        #expect(stage.wait(.seconds(11), alive: [.bob], session: 2).ordered(.bob) == [second])
    }

    @Test func itFailsAtItsTimeoutAndWhenItIsTooLarge() {
        var stage = Stage(maximumPayload: 10)
        stage.play(.begin(.main, effects: []), .hello())
        stage.play(.submit(asked, .work("far too large")))
        #expect(stage.applied == ["failed: " + PayloadLimit.reason("the effect", bytes: 13, of: 10)])
        stage.play(.submit(.effect(0, of: 8), .work(timeout: .seconds(2))))
        #expect(stage.wait(.seconds(3), alive: [.ann]).cancelled() == [.attempt(0, of: 8)])
        #expect(stage.applied.last == "failed: the handler did not answer in time on worker \(Incarnation.ann)")
    }

    @Test func onlyAnOpenLoopCanAskAndEachNameOnce() {
        var stage = Stage()
        stage.play(.hello())
        #expect(stage.settle(.submit(asked, .work())) == [])
        stage.play(.begin(.main, effects: []))
        #expect(stage.settle(.submit(asked, .work()), .submit(asked, .work())).ordered() == [first])
        stage.play(.stop)
        #expect(stage.play(.submit(.effect(0, of: 8), .work())) == [])
    }

    @Test func aCancelledEffectIsTakenFromItsWorker() {
        var stage = Stage.working()
        stage.play(.submit(asked, .work()))
        #expect(stage.play(.cancel(asked)) == [.says(.stale([first]))])
        #expect(stage.play(.cancel(asked)) == [])
        // What it says nevertheless is not for anybody.
        #expect(stage.play(done(first)) == [.says(.stale([first]))])
        #expect(stage.applied == [])
        #expect(stage.machine.snapshotState(of: .main)?.pending == [])
    }

    @Test func aCancelledEffectDoesNotBegin() {
        var stage = Stage.begun()
        stage.play(.submit(asked, .work()), .submit(.effect(0, of: 8), .work()), .cancel(asked))
        #expect(stage.settle(.hello()).ordered() == [.attempt(0, of: 8)])
    }

    @Test func aCancelledEffectIsNotTriedAgain() {
        var stage = Stage.working()
        stage.play(.submit(asked, .work()))
        stage.fails(first.failure(retryable: true))
        #expect(stage.settle(.cancel(asked)) == [])
        #expect(stage.wait(.seconds(5), alive: [.ann]).ordered() == [])
        #expect(stage.applied == [])
    }

    @Test func anEffectCancelledWhileItsFailureIsWrittenStaysCancelled() {
        var stage = Stage.working()
        stage.play(.submit(asked, .work()))
        stage.play(.says(.events(creditTotal: 0, [first.event(1, "half", final: false)])))
        stage.commits = false
        // Its failure waits for the commit of an event of the same attempt.
        stage.play(.says(.events(creditTotal: 0, [first.event(2, "half", final: false)])))
        stage.play(.says(.failures(creditTotal: 0, [first.failure(3, retryable: true)])))
        let failure = stage.written.count
        stage.play(.cancel(asked))
        // The failure is on disk long before the cancellation is.
        for ticket in stage.written.prefix(failure) { _ = stage.handle(.committed(ticket)) }
        #expect(stage.play().acknowledged().last == first.report(3))
        stage.now = stage.now + .seconds(2)
        #expect(stage.play(.tick).ordered() == [])
        for ticket in stage.written.dropFirst(failure) { _ = stage.handle(.committed(ticket)) }
        #expect(stage.wait(.seconds(5), alive: [.ann]).ordered() == [])
    }

    @Test func anEffectCancelledBeforeItIsOnDiskNeverLeaves() {
        var stage = Stage.begun()
        stage.update = ["ask": [.work(), .local()]]
        stage.play(.hello())
        stage.commits = false
        stage.play(.outside(1, key: "k", "ask"), .cancel(.effect(0, of: 1)), .cancel(.effect(1, of: 1)))
        #expect(stage.commit() == [.confirm(event: 1, 1)])
        #expect(stage.records.suffix(2) == [.note(.effect(0, of: 1), .ended), .note(.effect(1, of: 1), .ended)])
    }

    @Test func anEffectThatIsEndingIsNotCancelled() {
        var stage = Stage.working()
        stage.play(.submit(asked, .work()))
        stage.commits = false
        stage.play(done(first))
        stage.play(.cancel(asked))
        #expect(stage.commit() == [.says(.ack([first.report(1)]))])
        #expect(stage.applied == ["done"])
        #expect(!stage.records.contains(.note(asked, .ended)))
        #expect(stage.play(done(first)) == [.says(.ack([first.report(1)]))])  // said again: taken, not stale
    }

    @Test func aWorkerHasRoomAgainOnceItHasForgotten() {
        var stage = Stage.begun()
        stage.play(.hello(credit: 1), .submit(asked, .work()))
        #expect(stage.settle(.cancel(asked), .submit(.effect(0, of: 8), .work())).ordered() == [])
        #expect(stage.settle(.holds(of: 1, received: 1)).ordered() == [])
        #expect(stage.settle(.says(.credit(total: 2))).ordered() == [.attempt(0, of: 8)])
    }

    @Test func theQueueOfAPoolWithoutWorkersDoesNotGrowWithWhatWasCancelled() {
        var stage = Stage.begun()
        for number in 1...5 { stage.play(.submit(.effect(0, of: UInt64(number)), .work())) }
        for number in 6...10_000 {
            stage.play(.submit(.effect(0, of: UInt64(number)), .work()), .cancel(.effect(0, of: UInt64(number))))
        }
        #expect(stage.machine.queued(in: "pool") <= 12)
        #expect(stage.settle(.hello(credit: 9)).ordered() == (1...5).map { .attempt(0, of: $0) })
    }

    @Test func aLoopEndsWithAllItsEffectsAndNoOther() throws {
        let other = try #require(LoopID("other"))
        let held = EffectID(loop: other, sequence: 1, index: 0)
        let kept = AttemptID(effect: held, attempt: Attempt(epoch: 1, number: 1))
        var stage = Stage.working()
        stage.play(.begin(other, effects: []), .submit(held, .work()))
        stage.play(.hello(.bob, credit: 1))
        stage.play(.submit(asked, .work()), .submit(.effect(0, of: 8), .work()))
        #expect(stage.settle(.endLoop(.main)).flatMap { $0.stale } == [first, .attempt(0, of: 8)])
        #expect(stage.machine.snapshotState(of: .main) == nil)
        #expect(stage.settle(.submit(.effect(0, of: 9), .work())) == [])
        #expect(stage.settle(done(kept)).acknowledged() == [kept.report(1)])
        #expect(stage.applied == ["done"])
        // The same name may begin again, later.
        #expect(stage.settle(.begin(.main, effects: []), .submit(.effect(0, of: 10), .work())).orders.count == 1)
    }

    @Test func workersAreToldOfTheEndOfTheirEffectsBeforeGoodbye() {
        var stage = Stage.working()
        stage.play(.submit(asked, .work()))
        #expect(
            stage.play(.endLoop(.main), .stop) == [.says(.stale([first])), .says(.drain(.wait)), .stopped])
    }
}

extension CoordinatorAction {
    /// The attempts that anybody is told to forget.
    fileprivate var stale: [AttemptID] {
        guard case .send(_, let envelope) = self, case .stale(let attempts) = envelope.message else { return [] }
        return attempts
    }
}
