import MobiusEngine
import MobiusJournal
import MobiusWire
import Testing

/// Reports: applied once, in order, acknowledged when they cannot be lost.
@Suite struct CoordinatorReportTests {
    private let first = AttemptID.attempt()

    private func says(_ reports: EventReport...) -> CoordinatorInput {
        .says(.events(creditTotal: 0, reports))
    }

    @Test func aReportIsAppliedCommittedAndThenAcknowledged() {
        var stage = Stage.working(.work())
        let report = first.event()
        let application = EventApplication.report(report, from: .ann)
        #expect(stage.handle(says(report)) == [.apply(application)])
        #expect(stage.handle(.applied(application, effects: [.work("next")])) == [])
        let record = JournalRecord.event(
            1, .report(first, number: 1), "done", effects: [.work("next")], ends: first.effect)
        #expect(stage.handle(.flush) == [.append(2, record)])
        #expect(stage.handle(.flush) == [])
        #expect(stage.handle(.committed(Ticket(2))) == [])
        #expect(
            stage.handle(.flush) == [
                .says(.effects(after: 1, [AttemptID.attempt(0, of: 1).order("next")])), .says(.ack([report.id])),
            ])
    }

    @Test func aRepeatedReportIsSilenceThenAck() {
        var stage = Stage.working(.work())
        stage.commits = false
        #expect(stage.play(says(first.event())) == [])
        #expect(stage.play(says(first.event())) == [])
        let ack = CoordinatorAction.says(.ack([first.report(1)]))
        #expect(stage.commit() == [ack])
        #expect(stage.play(says(first.event())) == [ack])
        #expect(stage.applied == ["done"])
    }

    @Test func everyReportOfAStreamIsSilenceThenAck() {
        var stage = Stage.working(.work())
        stage.commits = false
        let stream = [first.event(1, "a", final: false), first.event(2, "b", final: false), first.event(3, "c")]
        stage.play(.says(.events(creditTotal: 0, stream)))
        // Nothing of it is on disk: neither ACK nor STALE, or the worker would forget too early.
        #expect(stage.play(.says(.events(creditTotal: 0, stream))) == [])
        let ack = CoordinatorAction.says(.ack(stream.map(\.id)))
        #expect(stage.commit() == [ack])
        #expect(stage.play(.says(.events(creditTotal: 0, stream))) == [ack])
        #expect(stage.applied == ["a", "b", "c"])
    }

    @Test func aCommittedPartOfAStreamIsAcknowledgedAgain() {
        var stage = Stage.working(.work())
        stage.play(says(first.event(1, "a", final: false)))
        stage.commits = false
        stage.play(says(first.event(2, "b", final: false)))
        let both = says(first.event(1, "a", final: false), first.event(2, "b", final: false))
        #expect(stage.play(both) == [.says(.ack([first.report(1)]))])
        #expect(stage.applied == ["a", "b"])
    }

    @Test func aReportAheadOfAMissingOneWaits() {
        var stage = Stage.working(.work())
        #expect(stage.play(says(first.event(2, "b", final: false))) == [])
        #expect(stage.play(says(first.event(3, "c"))) == [])
        #expect(stage.applied == [])
        let all = [first.event(1, "a", final: false), first.event(2, "b", final: false), first.event(3, "c")]
        #expect(stage.play(.says(.events(creditTotal: 0, all))) == [.says(.ack(all.map(\.id)))])
        #expect(stage.applied == ["a", "b", "c"])
    }

    @Test func aFinalReportMayBringNoEvent() {
        var stage = Stage.working(.work(), .work())
        #expect(stage.handle(says(first.event(1, nil))) == [])
        #expect(stage.handle(.flush) == [.append(2, .note(first.effect, .ended))])
        #expect(stage.handle(.committed(Ticket(2))) == [])
        #expect(stage.handle(.flush) == [.says(.ack([first.report(1)]))])
        #expect(stage.machine.snapshotState(of: .main)?.pending.map(\.id) == [.effect(1)])
    }

    @Test func reportsOfOtherAttemptsAndWorkersAreStale() {
        var stage = Stage.working(.work())
        let other = AttemptID.attempt(0, 7)
        #expect(stage.play(says(other.event())) == [.says(.stale([other]))])
        let unknown = AttemptID.attempt(0, of: 77)
        #expect(stage.play(says(unknown.event())) == [.says(.stale([unknown]))])
        stage.play(.hello(.bob))
        #expect(
            stage.play(.says(.events(creditTotal: 0, [first.event()]), from: .bob, session: 2)) == [
                .says(.stale([first]), to: .bob, session: 2)
            ])
        #expect(stage.applied == [])
    }

    @Test func anEventThatCannotBeReadIsAFailedAttemptAndTheNextOneRuns() {
        var stage = Stage.working(.work(attempts: 2))
        #expect(
            stage.play(says(first.event(1, "unreadable"))) == [
                .note(.unreadable(first, reason: "strange")), .says(.stale([first])),
            ])
        #expect(stage.applied == [])
        #expect(stage.records.last == .note(first.effect, .retried(failures: 1)))
        let second = AttemptID.attempt(0, 2)
        #expect(stage.wait(.milliseconds(1100)).ordered() == [second])
        // A worker that still repeats the first is not listened to.
        #expect(stage.play(says(first.event(1, "unreadable"))) == [.says(.stale([first]))])
        #expect(stage.reports(second.event(1)).acknowledged() == [second.report(1)])
        #expect(stage.applied == ["done"])
    }

    @Test func anEventThatCannotBeReadFailsItsEffectInTheLastAttempt() {
        var stage = Stage.working(.work(attempts: 1), .work())
        #expect(
            stage.play(says(first.event(1, "unreadable", final: false))) == [
                .note(.unreadable(first, reason: "strange")), .says(.stale([first])),
            ])
        #expect(stage.applied == ["failed: the worker's event cannot be read: strange"])
        #expect(stage.play(says(first.event(2, "late"))) == [.says(.stale([first]))])
        #expect(stage.machine.snapshotState(of: .main)?.pending.map(\.id) == [.effect(1)])
    }

    @Test(arguments: ["last", nil])
    func whatCameWithAnUnreadableEventIsAppliedBeforeTheFailure(last: String?) {
        var stage = Stage.working(.work(attempts: 1), .work())
        let before = stage.records.count
        stage.play(
            says(first.event(1, "unreadable", final: false), first.event(2, "b", final: false), first.event(3, last)))
        #expect(
            stage.applied == ["b"] + [last].compactMap(\.self) + ["failed: the worker's event cannot be read: strange"])
        #expect(stage.machine.snapshotState(of: .main)?.pending.map(\.id) == [.effect(1)])
        // It ends once.
        let ends = stage.records.dropFirst(before).filter { record in
            switch record {
            case .event(let event): event.ends != nil
            case .note(_, .remarked): false
            case .note: true
            }
        }
        #expect(ends.count == 1)
        #expect(stage.play(says(first.event(3, last))) == [.says(.stale([first]))])
        #expect(stage.play(says(AttemptID.attempt(1).event())) == [.says(.ack([AttemptID.attempt(1).report(1)]))])
    }

    @Test func anEndWithoutEventIsWrittenBehindTheEventsBeforeIt() {
        var stage = Stage.working(.work())
        stage.play(says(first.event(1, "a", final: false), first.event(2, nil)))
        #expect(stage.records.suffix(2) == [.event(1, .report(first, number: 1), "a"), .note(first.effect, .ended)])
    }

    @Test func aFailureThatNobodyWantsToHearEndsTheEffectSilently() {
        var stage = Stage.working(.work())
        let failure = first.failure(retryable: false, "bad")
        #expect(
            stage.handle(.says(.failures(creditTotal: 0, [failure]))) == [
                .applyFailure(first.effect, effect: .work("work"), .failed(reason: "bad"), round: 0)
            ])
        #expect(stage.handle(.completedWithoutEvent(first.effect)) == [])
        #expect(stage.handle(.flush) == [.append(2, first.remark("bad"), .note(first.effect, .ended))])
        #expect(stage.handle(.committed(Ticket(2))) == [])
        #expect(stage.handle(.flush) == [.says(.ack([failure.id]))])
    }
}
