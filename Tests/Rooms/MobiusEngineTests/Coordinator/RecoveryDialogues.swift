import MobiusEngine
import MobiusJournal
import MobiusWire
import Testing

/// A coordinator that was started anew, in epoch 2, and the workers of epoch 1.
@Suite struct RecoveryDialogues {
    private let old = AttemptID.attempt(0, epoch: 1)
    private let new = AttemptID.attempt(0, epoch: 2)

    private func says(_ reports: EventReport..., from peer: Peer = .ann, session: UInt64 = 1) -> CoordinatorInput {
        .says(.events(creditTotal: 0, reports), from: peer, session: session, epoch: 2)
    }

    @Test func reportsGoOnWhereTheJournalEnds() {
        var stage = Stage.recovered(.work(), reported: old.report(2))
        stage.settle(.hello(epoch: 1, held: [old]))
        let repeated = stage.settle(says(old.event(1, "1", final: false), old.event(2, "2", final: false)))
        #expect(repeated.acknowledged() == [old.report(1), old.report(2)])
        #expect(stage.settle(says(old.event(4, "4"))).acknowledged() == [])
        #expect(stage.applied == [])
        #expect(stage.settle(says(old.event(3, "3", final: false), old.event(4, "4"))).acknowledged().count == 2)
        #expect(stage.applied == ["3", "4"])
    }

    @Test func attemptsOfAnotherJournalAreGivenOutAnew() {
        var stage = Stage.recovered(.work())
        #expect(stage.settle(.hello(journal: .other, epoch: 1, held: [old])).stale() == [old])
        #expect(stage.settle(says(old.event())).stale() == [old])
        #expect(stage.wait(.milliseconds(2500)).ordered() == [new])
        #expect(stage.applied == [])
    }
}
