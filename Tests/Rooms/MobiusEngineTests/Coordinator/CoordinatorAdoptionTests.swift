import MobiusEngine
import MobiusJournal
import MobiusWire
import Testing

/// A coordinator that was started anew, and the workers that outlived the last one.
@Suite struct CoordinatorAdoptionTests {
    private let old = AttemptID.attempt(0, epoch: 1, 4)

    private func says(_ reports: EventReport...) -> CoordinatorInput {
        .says(.events(creditTotal: 0, reports), epoch: 2)
    }

    @Test func whatAWorkerHoldsGoesOnThere() {
        var stage = Stage.recovered(.work())
        #expect(stage.play(.hello(epoch: 1, held: [old])) == [.welcome(epoch: 2), .joined(adopted: 1)])
        #expect(stage.wait(.seconds(5), alive: [.ann]) == [])
        #expect(stage.play(says(old.event())) == [.says(.ack([old.report(1)]), epoch: 2)])
        #expect(stage.applied == ["done"])
    }

    @Test func whatNobodyClaimsIsDispatchedAnewAfterTheGraceTime() {
        var stage = Stage.recovered(.work("a"), .work("b"))
        #expect(stage.machine.nextDeadline == .seconds(1))
        stage.play(.hello(epoch: 1))
        #expect(stage.wait(.seconds(1.5), alive: [.ann]).orders == [])
        #expect(
            stage.wait(.seconds(0.5), alive: [.ann]).orders == [
                AttemptID.attempt(0, epoch: 2).order("a"), AttemptID.attempt(1, epoch: 2).order("b"),
            ])
    }

    @Test func nobodyIsWaitedForWhenNobodyHeldAnything() {
        var stage = Stage.recovered(.work("a"), possibleHolders: [])
        #expect(
            stage.play(.tick, .hello(epoch: 1)).orders + stage.play(.tick).orders == [
                AttemptID.attempt(0, epoch: 2).order("a")
            ])
        #expect(stage.machine.audit() == [])
    }

    @Test func theGraceTimeEndsWhenAllWhoHeldSomethingHaveJoined() {
        var stage = Stage.recovered(.work("a"), .work("b"), possibleHolders: [.ann, .bob])
        stage.play(.hello(.ann, epoch: 1, held: [old]))
        #expect(stage.wait(.milliseconds(500), alive: [.ann]).orders == [])
        stage.play(.hello(.bob, epoch: 1))
        #expect(
            stage.wait(.milliseconds(1), alive: [.ann, .bob]).orders == [AttemptID.attempt(1, epoch: 2).order("b")])
        #expect(stage.machine.audit() == [])
    }

    @Test func anHeirThatNeverJoinsIsWaitedForAsAnyWorkerIs() {
        var stage = Stage.recovered(.work("a"), possibleHolders: [.bob])
        stage.play(.hello(.ann, epoch: 1))
        #expect(stage.wait(.seconds(1.5), alive: [.ann]).orders == [])
        #expect(stage.wait(.seconds(0.5), alive: [.ann]).orders.count == 1)
    }

    @Test func theHoldersAreThoseWhoHoldEffectsAndNobodyElse() {
        var stage = Stage.begun(.work("a"), .work("b"))
        #expect(stage.machine.holders == [])
        stage.play(.hello(.ann, credit: 2))
        stage.play(.hello(.bob, credit: 2))
        #expect(stage.machine.holders == [.ann])
        stage.play(.says(.events(creditTotal: 4, [AttemptID.attempt(0).event(), AttemptID.attempt(1).event()])))
        #expect(stage.machine.holders == [])
        // Who held something before is not known until the grace time is over.
        stage = Stage.recovered(.work("a"))
        stage.play(.hello(.ann, epoch: 1))
        #expect(stage.machine.holders == nil)
        stage.wait(.seconds(2.5), alive: [.ann])
        #expect(stage.machine.holders == [.ann])
    }

    @Test func whatStillWaitsAfterTheGraceTimeCanBeClaimed() {
        var stage = Stage.recovered(.work("a"))
        stage.wait(.seconds(3))
        #expect(stage.play(.hello(epoch: 1, held: [old])) == [.welcome(epoch: 2), .joined(adopted: 1)])
        #expect(stage.play(says(old.event())) == [.says(.ack([old.report(1)]), epoch: 2)])
    }

    @Test func whatWasGivenToOthersMeanwhileIsStale() {
        var stage = Stage.recovered(.work("a"))
        stage.play(.hello(.bob))
        stage.wait(.seconds(3), alive: [.bob])
        #expect(
            stage.play(.hello(.ann, epoch: 1, held: [old])) == [
                .welcome(session: 2, epoch: 2), .joined(), .says(.stale([old]), session: 2, epoch: 2),
            ])
    }

    @Test func twoWorkersCannotClaimTheSameEffect() {
        var stage = Stage.recovered(.work())
        let older = AttemptID.attempt(0, epoch: 1, 3)
        stage.play(.hello(.ann, epoch: 1, held: [old]))
        #expect(
            stage.play(.hello(.bob, epoch: 1, held: [older])) == [
                .welcome(.bob, session: 2, epoch: 2), .joined(.bob),
                .says(.stale([older]), to: .bob, session: 2, epoch: 2),
            ])
    }

    @Test func reportsThatTheJournalHoldsAreNotAppliedAgain() {
        var stage = Stage.recovered(.work(), reported: old.report(2), lastSequence: 2)
        stage.play(.hello(epoch: 1, held: [old]))
        let all = [old.event(1, "a", final: false), old.event(2, "b", final: false), old.event(3, "c")]
        #expect(
            stage.play(.says(.events(creditTotal: 0, all), epoch: 2)) == [
                .says(.ack([old.report(1), old.report(2)]), epoch: 2), .says(.ack([old.report(3)]), epoch: 2),
            ])
        #expect(stage.applied == ["c"])
    }

    @Test func anAttemptOlderThanTheReportsInTheJournalIsNotAdopted() {
        // Its own first report may have been applied before the later attempt's, so nobody knows where it stands.
        var stage = Stage.recovered(.work(), reported: old.report(1), lastSequence: 2)
        let older = AttemptID.attempt(0, epoch: 1, 3)
        #expect(
            stage.play(.hello(epoch: 1, held: [older])) == [
                .welcome(epoch: 2), .joined(), .says(.stale([older]), epoch: 2),
            ])
        let later = AttemptID.attempt(0, epoch: 1, 5)
        #expect(stage.play(.hello(.bob, epoch: 1, held: [later])).contains(.joined(.bob, adopted: 1)))
        stage.play(.says(.events(creditTotal: 0, [later.event()]), from: .bob, session: 2, epoch: 2))
        #expect(stage.applied == ["done"])
    }

    @Test func theClockOfAnAdoptedAttemptBeginsAnew() {
        var stage = Stage.recovered(.work(timeout: .seconds(4)))
        stage.now = .seconds(1)
        stage.play(.hello(epoch: 1, held: [old]))
        stage.wait(.seconds(3.5), alive: [.ann])
        #expect(stage.applied == [])
        #expect(
            stage.wait(.seconds(0.5), alive: [.ann]) == [.timedOut(old, by: .ann), .says(.cancel([old]), epoch: 2)])
        #expect(stage.applied == ["failed: the handler did not answer in time on worker \(Incarnation.ann)"])
    }

    @Test func anAdoptedAttemptWhoseWorkerDiesIsTriedAgain() {
        var stage = Stage.recovered(.work(attempts: 2))
        stage.play(.hello(.ann, epoch: 1, held: [old]), .hello(.bob))
        let orders = stage.wait(.seconds(12), alive: [.bob], session: 2).orders
        #expect(orders == [AttemptID.attempt(0, epoch: 2).order()])
        stage.play(.hello(.ann, epoch: 1, held: [old]))
        #expect(stage.applied == [])
    }

    @Test func attemptsOfEndedEffectsAreStale() {
        var stage = Stage.recovered(lastSequence: 3)
        #expect(
            stage.play(.hello(epoch: 1, held: [old])) == [
                .welcome(epoch: 2), .joined(), .says(.stale([old]), epoch: 2),
            ])
    }

    @Test func sequencesGoOnWhereTheJournalEnds() {
        var stage = Stage.recovered(lastSequence: 41)
        stage.play(.outside(1, key: "k"))
        #expect(stage.records == [.event(42, .outside("k"), "hey")])
    }

    @Test func aSnapshotHoldsWhatHasNotEnded() {
        var stage = Stage.recovered(.work("a"), .work("b"), .work("c"), lastSequence: 5)
        stage.play(.hello(epoch: 1, held: [old]))
        stage.play(says(old.event(1, "half", final: false)))
        let state = stage.machine.snapshotState(of: .main)
        #expect(state?.sequence == 6)
        #expect(
            state?.pending == [
                PendingEffect(id: .effect(0), effect: .work("a"), reported: old.report(1)),
                PendingEffect(id: .effect(1), effect: .work("b")), PendingEffect(id: .effect(2), effect: .work("c")),
            ])
        stage.commits = false
        stage.play(says(old.event(2)))
        #expect(stage.machine.snapshotState(of: .main)?.pending.map(\.id) == [.effect(1), .effect(2)])
        #expect(stage.machine.snapshotState(of: LoopID("other") ?? .main) == nil)
    }
}
