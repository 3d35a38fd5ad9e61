import MobiusEngine
import MobiusJournal
import MobiusWire
import Testing

/// Events from outside the effects, and effects that stay inside the process.
@Suite struct CoordinatorOutsideTests {
    private let first = AttemptID.attempt()

    @Test func anEventIsConfirmedAfterItsCommit() {
        var stage = Stage.begun()
        let application = EventApplication(
            loop: .main, source: .outside("k"), event: .news("hey"), ends: nil, origin: .outside(RequestID(1)))
        #expect(stage.handle(.outside(1, key: "k")) == [.apply(application)])
        #expect(stage.handle(.applied(application, effects: [])) == [])
        #expect(stage.handle(.flush) == [.append(2, .event(1, .outside("k"), "hey"))])
        #expect(stage.handle(.committed(Ticket(2))) == [.confirm(event: 1, 1)])
    }

    @Test func theSameKeyIsAppliedOnceAndConfirmedWhenThatIsOnDisk() {
        var stage = Stage.begun()
        stage.commits = false
        #expect(stage.play(.outside(1, key: "k")) == [])
        #expect(stage.play(.outside(2, key: "k")) == [])
        #expect(stage.commit() == [.confirm(event: 1, 1), .again(2, key: "k")])
        #expect(
            stage.play(.outside(3, key: "k"), .outside(4, key: "l")) == [
                .again(3, key: "k"), .confirm(event: 2, 4),
            ])
        #expect(stage.applied == ["hey", "hey"])
    }

    @Test func aKeyWithOtherBytesIsAnotherKey() {
        var stage = Stage.recovered(lastSequence: 1, keys: ["\u{e9}"])
        #expect(stage.play(.outside(1, key: "e\u{301}")) == [.confirm(event: 2, 1)])
        #expect(stage.play(.outside(2, key: "\u{e9}")) == [.again(2, key: "\u{e9}")])
        #expect(stage.applied == ["hey"])
        #expect(SourceKey.outside("\u{e9}") != .outside("e\u{301}") && SourceKey.outside("k") == .outside("k"))
    }

    @Test func keysOfTheJournalAreKnown() {
        var stage = Stage.recovered(lastSequence: 1, keys: ["k"])
        #expect(stage.play(.outside(1, key: "k")) == [.again(1, key: "k")])
        #expect(stage.applied == [])
    }

    @Test func anUnreadableEventIsRefusedAndItsKeyStaysFree() {
        var stage = Stage.begun()
        #expect(
            stage.play(.outside(1, key: "k", "unreadable")) == [
                .refuse(RequestID(1), ClientRefusal(.invalidEvent, "strange"))
            ])
        #expect(stage.play(.outside(2, key: "k")) == [.confirm(event: 1, 2)])
        #expect(stage.applied == ["hey"])
    }

    @Test func anUnknownLoopIsRefused() {
        var stage = Stage()
        #expect(
            stage.play(.outside(1, key: "k")) == [
                .refuse(RequestID(1), ClientRefusal(.unsupported, "There is no loop named main."))
            ])
    }

    @Test func aLocalEffectRunsAfterItsCommit() {
        var stage = Stage()
        stage.commits = false
        #expect(stage.play(.begin(.main, effects: [.local("a")])) == [])
        #expect(stage.commit() == [.runLocal(first, .work("a"))])
    }

    @Test func eventsOfALocalEffectAreAppliedInOrder() {
        var stage = Stage.begun(.local())
        stage.play(.localReport(first, event: .news("a"), final: false))
        stage.play(.localReport(first, event: .news("b"), final: true))
        stage.play(.localReport(first, event: .news("late"), final: false))
        #expect(stage.applied == ["a", "b"])
        #expect(
            stage.records.suffix(2) == [
                .event(1, .report(first, number: 1), "a"),
                .event(2, .report(first, number: 2), "b", ends: first.effect),
            ])
        #expect(stage.machine.snapshotState(of: .main)?.pending == [])
    }

    @Test func aLocalEffectMayEndWithoutAnEvent() {
        var stage = Stage.begun(.local())
        stage.play(.localReport(first, event: nil, final: true))
        #expect(stage.records.last == .note(first.effect, .ended))
        #expect(stage.machine.snapshotState(of: .main)?.pending == [])
    }

    @Test func aLocalEffectRunsAgainAfterARestart() {
        var stage = Stage(epoch: 2)
        let pending = PendingEffect(id: first.effect, effect: .work("a"), reported: first.report(1))
        let resumed = ResumedLoop(
            loop: .main, lastSequence: 1, pending: [(pending, EffectPlan(destination: .local))])
        let again = AttemptID.attempt(0, epoch: 2)
        #expect(stage.play(.recover(resumed)) == [.runLocal(again, .work("a"))])
        // Its reports count anew, under the new attempt.
        stage.play(.localReport(first, event: .news("old"), final: true))
        stage.play(.localReport(again, event: .news("new"), final: true))
        #expect(stage.records == [.event(2, .report(again, number: 1), "new", ends: first.effect)])
    }

    @Test func whatAWorkerHoldsOfALocalEffectIsStale() {
        var stage = Stage.recovered(.local())
        let held = AttemptID.attempt(0, epoch: 1)
        #expect(stage.play(.hello(epoch: 1, held: [held])).contains(.says(.stale([held]), epoch: 2)))
    }
}
