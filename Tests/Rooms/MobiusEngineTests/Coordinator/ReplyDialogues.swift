import MobiusEngine
import MobiusJournal
import MobiusWire
import Testing

/// What `update` tells the sender of an event.
@Suite struct ReplyDialogues {
    private let answer = SenderReply.answer(.news("seat 12"))

    private func reply(_ reply: SenderReply) -> PlannedEffect {
        PlannedEffect(effect: .work("reply"), plan: EffectPlan(destination: .sender(reply)))
    }

    @Test func theSenderIsToldWithItsConfirmation() throws {
        var stage = Stage.begun()
        stage.update = ["ask": [reply(answer)], "beg": [reply(.refusal("no"))]]
        #expect(stage.play(.outside(1, key: "a", "ask")) == [.confirm(event: 1, 1, answer)])
        #expect(stage.play(.outside(2, key: "b", "beg")) == [.confirm(event: 2, 2, .refusal("no"))])
        #expect(stage.play(.outside(3, key: "a", "ask")) == [.again(3, key: "a", .main, "ask")])
        #expect(stage.machine.audit() == [])
    }

    @Test func theReplyIsStoredWithItsEventAndItsEffectEndsThere() throws {
        var stage = Stage.begun()
        stage.update = ["ask": [.local("a"), reply(answer), .local("b")]]
        stage.commits = false
        stage.play(.outside(1, key: "k", "ask"))
        guard case .event(let event)? = stage.records.dropLast().last else {
            Issue.record("no event: \(stage.records)")
            return
        }
        #expect(event.reply == answer && event.effects.count == 3)
        #expect(stage.records.last == .note(.effect(1, of: 1), .ended))
        #expect(stage.written.count == 1)  // one transaction
        #expect(stage.machine.snapshotState(of: .main)?.pending.map(\.id) == [.effect(0, of: 1), .effect(2, of: 1)])
        #expect(try stage.fold(all: true).pending.map(\.id) == [.effect(0, of: 1), .effect(2, of: 1)])
        #expect(stage.machine.audit() == [])
    }

    @Test func withoutASenderItJustEnds() throws {
        let first = AttemptID.attempt()
        var stage = Stage.begun(.local())
        stage.update = ["report": [reply(answer)]]
        #expect(stage.play(.localReport(first, event: .news("report"), final: true)) == [])
        #expect(stage.records.last == .note(.effect(0, of: 1), .ended))
        #expect(try stage.fold().pending == [])
        #expect(stage.machine.audit() == [])
    }

    @Test func anEffectThatABuildPendedEndsUnderARouteToTheSender() throws {
        var stage = Stage.begun()
        stage.update = ["ask": [.work("old")]]
        stage.play(.outside(1, key: "k", "ask"))
        stage.reroute(PlannedEffect(effect: .work("old"), plan: EffectPlan(destination: .sender(answer))))
        #expect(try stage.restart() == [])
        stage.play(.flush)
        #expect(stage.records.last == .note(.effect(0, of: 1), .ended))
        #expect(stage.machine.snapshotState(of: .main)?.pending == [])
    }
}
