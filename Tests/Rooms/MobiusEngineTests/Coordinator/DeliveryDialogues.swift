import MobiusEngine
import MobiusWire
import Testing

/// Orders that were lost on their way.
@Suite struct DeliveryDialogues {
    private let first = AttemptID.attempt()

    @Test func sendingAgainIsNoNewCredit() {
        var stage = Stage.begun(.work(), .work(), .work())
        let other = AttemptID.attempt(1)
        #expect(stage.settle(.hello(credit: 2)).ordered() == [first, other])
        #expect(stage.settle(.holds(other, of: 2, received: 1, credit: 2)).ordered() == [first])
        #expect(stage.settle(.says(.credit(total: 2))).ordered() == [])
        #expect(stage.settle(.says(.credit(total: 3))).ordered() == [.attempt(2)])
    }

    @Test func whatIsLostAgainIsSentAgain() {
        var stage = Stage.working(.work())
        for number in 1...5 as ClosedRange<UInt64> {
            #expect(stage.settle(.holds(of: number)).ordered() == [first])
        }
    }

    @Test func anEndThatIsNotOnDiskIsNotStale() {
        var stage = Stage.working(.work())
        stage.commits = false
        stage.play(.says(.events(creditTotal: 0, [first.event()])))
        #expect(stage.play(.holds(first)) == [])
        #expect(stage.settle().acknowledged() == [first.report(1)])
    }

    @Test func whatIsSentAgainInANewSessionCountsAgain() {
        var stage = Stage.begun(.work(), .work())
        stage.settle(.hello(credit: 1))
        #expect(stage.settle(.hello(credit: 1, epoch: 1)).ordered() == [first])
        #expect(stage.settle(.says(.credit(total: 2), session: 2)).ordered() == [.attempt(1)])
    }

    @Test func reportsThatFollowTheirSessionAreTaken() {
        var stage = Stage.working(.work())
        stage.commits = false
        stage.play(.says(.events(creditTotal: 0, [first.event()])))
        // The connection changes while the record is on its way to the disk: the ACK goes to the new one.
        let back = Peer(9)
        #expect(stage.play(.hello(from: back, epoch: 1, held: [first])).stale(back) == [])
        #expect(stage.settle().acknowledged(back) == [first.report(1)])
        #expect(stage.applied == ["done"])
    }
}
