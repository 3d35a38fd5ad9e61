import MobiusEngine
import MobiusJournal
import MobiusWire
import Testing

/// Handlers that give up, hang, or kill their workers.
@Suite struct CoordinatorFailureTests {
    private let first = AttemptID.attempt()
    private let second = AttemptID.attempt(0, 2)

    private func fails(_ failure: FailureReport) -> CoordinatorInput {
        .says(.failures(creditTotal: 0, [failure]))
    }

    @Test func aFailureThatMayPassIsTriedAgainAfterAPause() {
        var stage = Stage.working(.work())
        // That it failed is written down, and acknowledged once it is on disk.
        #expect(stage.handle(fails(first.failure(retryable: true))) == [])
        let records = [first.remark("no"), .note(first.effect, .retried(failures: 1))]
        #expect(stage.handle(.flush) == [.append(Ticket(2), records)])
        #expect(stage.handle(.committed(Ticket(2))) == [])
        #expect(stage.handle(.flush) == [.says(.ack([first.report(1)]))])
        stage.now = .seconds(0.999)
        #expect(stage.play(.tick) == [])
        stage.now = .seconds(1)
        #expect(stage.machine.nextDeadline == .seconds(1))
        #expect(stage.play(.tick) == [.says(.pulse(sent: 1)), .says(.effects(after: 1, [second.order()]))])
        #expect(stage.applied == [])
    }

    @Test func pausesDoubleUpToAMinute() {
        var stage = Stage.working(.work(attempts: 10))
        let pauses = (1...9).map { number in
            let begin = stage.now
            stage.play(fails(AttemptID.attempt(0, UInt32(number)).failure(retryable: true)))
            while !stage.play(.tick).orders.contains(where: { $0.id == .attempt(0, UInt32(number + 1)) }) {
                stage.now = stage.machine.nextDeadline ?? stage.now
                stage.play(.says(.credit(total: 100)))
            }
            return stage.now - begin
        }
        #expect(pauses == [1, 2, 4, 8, 16, 32, 60, 60, 60].map { .seconds($0) })
    }

    @Test func theHandlerMayNameThePause() {
        var stage = Stage.working(.work())
        stage.play(fails(first.failure(retryable: true, delay: 250)))
        stage.now = .seconds(0.25)
        #expect(stage.machine.nextDeadline == .seconds(0.25))
        #expect(stage.play(.tick) == [.says(.effects(after: 1, [second.order()]))])
    }

    @Test func aRepeatedFailureIsAcknowledgedAgain() {
        var stage = Stage.working(.work())
        let failure = first.failure(retryable: true)
        let ack = CoordinatorAction.says(.ack([failure.id]))
        #expect(stage.play(fails(failure)) == [ack])
        #expect(stage.play(fails(failure)) == [ack])
        stage.now = .seconds(1)
        stage.play(.tick)
        #expect(stage.play(fails(failure)) == [ack])
        #expect(stage.play(fails(second.failure(retryable: true))) == [.says(.ack([second.report(1)]))])
    }

    @Test func aFailureDoesNotOvertakeTheEventsBeforeIt() {
        var stage = Stage.working(.work())
        stage.commits = false
        let event = first.event(1, "half", final: false)
        let failure = first.failure(2, retryable: true)
        stage.play(.says(.events(creditTotal: 0, [event])))
        #expect(stage.play(fails(failure)) == [])
        // The event is not on disk: neither ACK nor STALE, and a snapshot still holds the effect.
        #expect(stage.play(.says(.events(creditTotal: 0, [event])), fails(failure)) == [])
        #expect(stage.play(.says(.heartbeat(creditTotal: 0, held: [HeldAttempt(id: first)]))) == [])
        #expect(stage.machine.snapshotState(of: .main)?.pending.map(\.reported) == [event.id])
        #expect(stage.commit() == [.says(.ack([event.id, failure.id]))])
        stage.now = .seconds(1)
        #expect(stage.play(.tick).orders == [second.order()])
    }

    @Test func attemptsAreExhausted() {
        var stage = Stage.working(.work(attempts: 2))
        stage.play(fails(first.failure(retryable: true, "no")))
        stage.now = .seconds(1)
        stage.play(.tick)
        stage.commits = false
        #expect(stage.play(fails(second.failure(retryable: true, "still no"))) == [])
        #expect(stage.play(fails(second.failure(retryable: true, "still no"))) == [])
        #expect(stage.commit() == [.says(.ack([second.report(1)]))])
        #expect(stage.applied == ["failed: still no"])
    }

    @Test func aFailureForGoodBecomesAnEventThatIsCommittedFirst() {
        var stage = Stage.working(.work())
        let failure = first.failure(retryable: false, "bad")
        stage.commits = false
        #expect(stage.play(fails(failure)) == [])
        #expect(stage.applied == ["failed: bad"])
        #expect(
            stage.records.last
                == .event(1, .failure(first.effect, round: 0), "failed: bad", ends: first.effect))
        #expect(stage.play(fails(failure)) == [])
        let ack = CoordinatorAction.says(.ack([failure.id]))
        #expect(stage.commit() == [ack])
        #expect(stage.play(fails(failure)) == [ack])
    }

    @Test func aFailureAfterEventsKeepsTheirNumbers() {
        var stage = Stage.working(.work())
        let event = first.event(1, "half", final: false)
        #expect(stage.play(fails(first.failure(2, retryable: true))) == [])  // ahead of a missing report
        stage.play(.says(.events(creditTotal: 0, [event])))
        #expect(stage.play(fails(first.failure(2, retryable: true))) == [.says(.ack([first.report(2)]))])
        // What the journal keeps is the last event, not the failure that nobody wrote down.
        #expect(stage.machine.snapshotState(of: .main)?.pending.map(\.reported) == [event.id])
    }

    @Test func aHungHandlerIsCancelledAtItsTimeout() {
        var stage = Stage.working(.work(timeout: .seconds(2)))
        stage.wait(.seconds(1.5), alive: [.ann])
        stage.play(.says(.heartbeat(creditTotal: 0, held: [HeldAttempt(id: first)])))
        stage.now = .seconds(2)
        stage.commits = false
        #expect(stage.machine.nextDeadline == .seconds(2))
        #expect(stage.play(.tick) == [.timedOut(first, by: .ann), .says(.pulse(sent: 1))])
        #expect(stage.applied == ["failed: the handler did not answer in time on worker \(Incarnation.ann)"])
        #expect(stage.play(.says(.events(creditTotal: 0, [first.event()]))) == [.says(.stale([first]))])
        #expect(stage.commit() == [.says(.cancel([first]))])
        #expect(stage.play(.says(.events(creditTotal: 0, [first.event()]))) == [.says(.stale([first]))])
        #expect(stage.applied.count == 1)
    }

    @Test func anAnswerInTimeStopsTheClock() {
        var stage = Stage.working(.work(timeout: .seconds(2)))
        stage.play(.says(.events(creditTotal: 0, [first.event()])))
        stage.wait(.seconds(5), alive: [.ann])
        #expect(stage.applied == ["done"])
    }

    @Test func theClockOfALostAttemptSaysNothingAboutTheNext() {
        var stage = Stage.working(.work(timeout: .seconds(5)))
        stage.now = .seconds(4)
        stage.play(.says(.bye))
        stage.play(.hello(.bob))
        for second in [5, 6, 7, 8, 8.9] {
            stage.now = .seconds(second)
            stage.play(.says(.credit(total: 1), from: .bob, session: 2), .tick)
        }
        #expect(stage.applied == [])
        stage.now = .seconds(9)
        stage.play(.tick)
        #expect(stage.applied == ["failed: the handler did not answer in time on worker \(Incarnation.bob)"])
    }

    @Test func anEffectThatKillsItsWorkersFails() {
        var stage = Stage.begun(.work(attempts: 3))
        for number in 1...3 as ClosedRange<UInt64> {
            stage.play(.hello(.worker(Int(number))))
            #expect(stage.applied == [])
            stage.wait(.seconds(12))
        }
        #expect(stage.applied == ["failed: the worker was lost in each of 3 attempts"])
        #expect(stage.machine.snapshotState(of: .main)?.pending == [])
    }

    @Test func workersThatLeaveOrderlyDoNotCount() {
        var stage = Stage.begun(.work(attempts: 2))
        for number in 1...5 as ClosedRange<UInt64> {
            let peer = Peer(number)
            #expect(stage.play(.hello(.worker(Int(number)))).orders.count == 1)
            #expect(
                stage.play(.says(.bye, from: peer, session: number)) == [
                    .note(.left(.worker(Int(number)), effects: 1))
                ])
        }
        #expect(stage.applied == [])
    }
}
