import MobiusEngine
import MobiusJournal
import MobiusWire
import Testing

/// Effects that are events for other loops, whose answers come back as events.
@Suite struct AskingDialogues {
    private let other: LoopID
    private let asked = EffectID.effect(0, of: 1)

    init() throws {
        other = try #require(LoopID("other"))
    }

    @Test func bothEventsAreRecordsOfOneCommit() throws {
        var stage = Stage.begun([])
        stage.commits = false
        stage.ask(.question("seats?", for: other), by: "send")
        stage.play(.tick)
        _ = stage.commitFirst()
        #expect(stage.handle(.tick) == [.deliver(asked, effect: .work("seats?"), to: other)])
        let asks = stage.machine.errand(of: asked) == .question
        #expect(asks)
        _ = stage.handle(.begin(other, effects: []))
        let question = EventApplication(
            loop: other, source: .loop(asked), event: .news("seats?"), ends: nil, origin: .effect(asked))
        let reply = LoopReply(.answer(.work("two")))
        let told = stage.handle(.applied(question, effects: [.answer("two")]))
        #expect(told == [.applyAnswer(asked, effect: .work("seats?"), reply)])
        // What comes now must not see it as pending: it has ended, and its last event is next.
        let isAddressed = stage.machine.isAddressed(asked)
        #expect(!isAddressed)
        let answer = EventApplication(
            loop: .main, source: .answer(asked), event: .news("told: two"), ends: asked, origin: .answer)
        _ = stage.handle(.applied(answer, effects: []))
        let appended = stage.handle(.flush).compactMap { if case .append(_, let records) = $0 { records } else { nil } }
        #expect(appended.count == 1)
        let records = try #require(appended.first)
        #expect(records.map(\.loop) == [other, other, other, .main, .main])
        #expect(records[3] == .note(asked, .answered(reply)))
        guard case .event(let event) = records[4] else { throw Unexpected() }
        #expect(event.source == .answer(asked) && event.ends == asked)
        #expect(stage.machine.snapshotState(of: .main)?.pending ?? [] == [])
        #expect(stage.machine.audit() == [])
    }

    @Test(arguments: [
        (LoopReply(.answer(.work("two"))), "told: two"), (LoopReply(.refusal("sold out")), "told: no, sold out"),
        (LoopReply(nil), "told: nothing"), (nil, "failed: \(EffectFailure.outcomeUnknown)"),
    ])
    func whatAnotherShardsLoopTellsIsToldOnce(reply: LoopReply?, words: String) {
        var stage = Stage.begun([])
        stage.away = [other]
        stage.ask(.question("seats?", for: other), by: "send")
        stage.live(.seconds(1))
        #expect(stage.deliveries == [asked])
        stage.play(.answered(asked, reply))
        stage.play(.answered(asked, LoopReply(nil)))  // once more, as after a repetition
        stage.play(.arrived(other))
        stage.live(.seconds(1))
        #expect(stage.applied == ["send", words])
        #expect(stage.machine.snapshotState(of: .main)?.pending ?? [] == [])
        #expect(stage.machine.audit() == [])
    }

    @Test func oneThatTakesTooLongFails() {
        var stage = Stage.begun([])
        stage.away = [other]
        stage.ask(.question("seats?", for: other, timeout: .seconds(5)), by: "send")
        stage.live(.seconds(4))
        #expect(stage.applied == ["send"])
        stage.live(.seconds(2))
        #expect(stage.applied == ["send", "failed: \(EffectFailure.timedOut(.scheduleToClose))"])
        // What comes later is no answer any more.
        stage.play(.answered(asked, LoopReply(nil)))
        stage.play(.arrived(other))
        stage.live(.seconds(10))
        #expect(stage.applied.count == 2)
        #expect(stage.machine.audit() == [])
    }

    @Test func oneThatWasToldBeforeACrashIsToldAgainAndAsksNobody() {
        var stage = Stage()
        let pending = PendingEffect(
            id: asked, effect: .work("seats?"), asked: WallTime(milliseconds: 0), answered: LoopReply(.refusal("no")))
        stage.play(
            .recover(
                ResumedLoop(
                    loop: .main, lastSequence: 1, pending: [(pending, PlannedEffect.question("", for: other).plan)],
                    outsideKeys: [])))
        stage.live(.seconds(1))
        #expect(stage.applied == ["told: no, no"])
        #expect(stage.deliveries == [])
        #expect(stage.machine.snapshotState(of: .main)?.pending ?? [] == [])
        #expect(stage.machine.audit() == [])
    }

    @Test func itsTimeGoesOnAfterACrash() {
        var stage = Stage()
        stage.away = [other]
        let plan = PlannedEffect.question("", for: other, timeout: .seconds(5)).plan
        let pending = PendingEffect(id: asked, effect: .work("seats?"), asked: WallTime(milliseconds: 0))
        stage.play(.wallClock(WallTime(milliseconds: 4000)))
        stage.play(
            .recover(ResumedLoop(loop: .main, lastSequence: 1, pending: [(pending, plan)], outsideKeys: [])))
        stage.live(.milliseconds(900))
        #expect(stage.applied == [])
        stage.live(.seconds(1))
        #expect(stage.applied == ["failed: \(EffectFailure.timedOut(.scheduleToClose))"])
        #expect(stage.machine.audit() == [])
    }

    @Test func aLoopThatHasEndedHearsNothingAndItsQuestionArrives() {
        var stage = Stage.begun([])
        stage.away = [other]
        stage.ask(.question("seats?", for: other), by: "send")
        stage.live(.seconds(1))
        stage.ask(.end(mayBeginAgain: false), by: "end")
        stage.live(.seconds(1))
        let before = stage.machine.end(of: .main)?.outstanding
        #expect(before == 1)
        stage.play(.answered(asked, LoopReply(.answer(.work("two")))))
        stage.play(.arrived(other))
        stage.live(.seconds(1))
        #expect(stage.applied == ["send", "end"])
        let after = stage.machine.end(of: .main)?.outstanding
        #expect(after == 0)
        #expect(stage.records.last == .note(asked, .ended))
        #expect(stage.machine.audit() == [])
    }

    @Test func aTimeOutOfALoopThatHasEndedKeepsNoQuestionBack() {
        var stage = Stage.begun([])
        stage.away = [other]
        stage.ask(.question("seats?", for: other, timeout: .seconds(5)), by: "send")
        stage.live(.seconds(1))
        stage.ask(.end(mayBeginAgain: false), by: "end")
        stage.live(.seconds(60))
        let outstanding = stage.machine.end(of: .main)?.outstanding
        #expect(outstanding == 1)
        stage.away = []
        stage.play(.recover(ResumedLoop(loop: other, lastSequence: 4, pending: [], outsideKeys: [])))
        stage.play(.arrived(other))
        stage.live(.seconds(1))
        #expect(stage.applied == ["send", "end", "seats?"])
        #expect(stage.machine.audit() == [])
    }

    @Test func oneThatWasToldIsNotSentByALaterRoute() {
        var stage = Stage()
        let pending = PendingEffect(
            id: asked, effect: .work("seats?"), asked: WallTime(milliseconds: 0), answered: LoopReply(nil))
        let plan = PlannedEffect.event("", for: other).plan
        stage.play(.recover(ResumedLoop(loop: .main, lastSequence: 1, pending: [(pending, plan)], outsideKeys: [])))
        stage.live(.seconds(1))
        #expect(stage.applied == [] && stage.notes.last == .ended)
        #expect(stage.machine.snapshotState(of: .main)?.pending ?? [] == [])
        #expect(stage.machine.audit() == [])
    }

    @Test func aLoopMayAskItself() {
        var stage = Stage.begun([])
        stage.ask(.question("seats?", for: .main), by: "send")
        stage.live(.seconds(1))
        #expect(stage.applied == ["send", "seats?", "told: nothing"])
        #expect(stage.machine.snapshotState(of: .main)?.pending ?? [] == [])
        #expect(stage.machine.audit() == [])
    }

    private struct Unexpected: Error {}
}
