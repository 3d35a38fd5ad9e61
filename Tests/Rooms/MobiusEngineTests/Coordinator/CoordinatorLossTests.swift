import MobiusEngine
import MobiusWire
import Testing

/// Workers that fall silent, vanish, come back or leave, and orders lost on their way.
@Suite struct CoordinatorLossTests {
    private let first = AttemptID.attempt()
    private let second = AttemptID.attempt(0, 2)

    @Test func aSilentWorkerGetsNothingNewAfterThreeSecondsAndIsDeadAfterTen() {
        var stage = Stage.working(.work())
        stage.play(.hello(.bob, credit: 0))
        #expect(stage.wait(.seconds(2.5), alive: [.bob], session: 2) == [])
        #expect(stage.wait(.seconds(0.5), alive: [.bob], session: 2) == [.note(.suspected(.ann))])
        stage.update = ["ask": [.work("new")]]
        #expect(stage.play(.outside(1, key: "k", "ask")).orders == [])
        #expect(stage.wait(.seconds(6.5), alive: [.bob], session: 2) == [])
        #expect(stage.wait(.seconds(0.5), alive: [.bob], session: 2) == [.note(.lost(.ann, effects: 1))])
        // What it held goes first, under the next attempt.
        #expect(
            stage.play(.says(.credit(total: 2), from: .bob, session: 2)).orders == [
                second.order(), AttemptID.attempt(0, of: 1).order("new"),
            ])
    }

    @Test func aWordFromASuspectMakesItGoodAgain() {
        var stage = Stage.working(.work())
        stage.wait(.seconds(4))
        stage.update = ["ask": [.work("new")]]
        #expect(stage.play(.outside(1, key: "k", "ask")).orders == [])
        #expect(
            stage.play(.says(.heartbeat(creditTotal: 0, held: [HeldAttempt(id: first)]))).orders.map(\.effect.words)
                == ["new"])
    }

    @Test func lateWordsOfADeadWorkerAreStale() {
        var stage = Stage.working(.work())
        stage.play(.hello(.bob))
        stage.wait(.seconds(12), alive: [.bob], session: 2)
        // It was only stopped, and goes on: it is told to say HELLO, and that what it holds is stale.
        let done = CoordinatorInput.says(.events(creditTotal: 0, [first.event()]))
        #expect(stage.play(done) == [.says(.resync, session: 1)])
        #expect(
            stage.play(.hello(epoch: 1, held: [first])) == [
                .welcome(session: 3), .joined(), .says(.stale([first]), session: 3),
            ])
        #expect(stage.applied == [])
        stage.play(.says(.events(creditTotal: 0, [second.event()]), from: .bob, session: 2))
        #expect(stage.applied == ["done"])
    }

    @Test func aWorkerThatLostItsConnectionMayComeBack() {
        var stage = Stage.working(.work())
        stage.play(.unreachable(.ann))
        stage.update = ["ask": [.work("new")]]
        #expect(stage.play(.outside(1, key: "k", "ask")).orders == [])
        stage.wait(.seconds(2))
        #expect(
            stage.play(.hello(from: Peer(8), credit: 5, epoch: 1, held: [first])) == [
                .welcome(Peer(8), session: 2), .joined(),
                .says(.effects(after: 0, [AttemptID.attempt(0, of: 1).order("new")]), to: Peer(8), session: 2),
            ])
        #expect(
            stage.play(.says(.events(creditTotal: 0, [first.event()]), from: Peer(8), session: 2)) == [
                .says(.ack([first.report(1)]), to: Peer(8), session: 2)
            ])
    }

    @Test func aWorkerThatDoesNotComeBackIsLost() {
        var stage = Stage.working(.work())
        stage.play(.hello(.bob, credit: 1))
        stage.play(.unreachable(.ann))
        let actions = stage.wait(.seconds(4), alive: [.bob], session: 2)
        #expect(
            actions == [
                .note(.lost(.ann, effects: 1)), .says(.effects(after: 0, [second.order()]), to: .bob, session: 2),
            ])
    }

    @Test func aCoordinatorThatWasStoppedItselfBlamesNobody() {
        var stage = Stage.working(.work())
        stage.play(.hello(.bob))
        stage.play(.unreachable(.bob))
        stage.now = .seconds(60)
        #expect(stage.play(.tick) == [.says(.pulse(sent: 1)), .says(.pulse(sent: 0), to: .bob, session: 2)])
        // From there on, the usual times hold.
        #expect(stage.wait(.seconds(2.5)) == [])
        #expect(stage.wait(.seconds(0.5)) == [.note(.suspected(.ann)), .note(.lost(.bob, effects: 0))])
        #expect(stage.wait(.seconds(7)).first == .note(.lost(.ann, effects: 1)))
    }

    @Test func anOrderThatTheWorkerKnowsOfAndDoesNotHoldIsSentAgain() {
        var stage = Stage.working(.work("a"), .work("b"))
        let other = AttemptID.attempt(1)
        #expect(
            stage.play(.holds(other, of: 2, received: 1)) == [
                .note(.redelivered(.ann, effects: 1)), .says(.effects(after: 2, [first.order("a")])),
            ])
        // The list came twice, or was made before the order arrived.
        #expect(stage.play(.holds(other, of: 2, received: 1)) == [])
        #expect(stage.play(.holds(first, other, of: 3, received: 2)) == [])
    }

    @Test func aListThatIsOlderThanTheOrderIsNoLoss() {
        var stage = Stage.working(.work("a"), .work("b"))
        for _ in 1...5 {
            #expect(stage.play(.holds()) == [])
            #expect(stage.play(.holds(first, of: 1, received: 1)) == [])
        }
    }

    @Test func pulsesTellOfTheLastOrders() {
        var stage = Stage.working(.work("a"), .work("b"))
        stage.commits = false
        stage.update = ["ask": [.work("c")]]
        stage.play(.outside(1, key: "k", "ask"))
        stage.now = .seconds(1)
        #expect(stage.handle(.tick) == [.says(.pulse(sent: 2))])
        // One that has not left is not counted, or it would be taken for lost.
        for case .append(let ticket, _) in stage.handle(.flush) { _ = stage.handle(.committed(ticket)) }
        #expect(stage.commit().orders.map(\.effect.words) == ["c"])
        stage.now = .seconds(2)
        #expect(stage.handle(.tick) == [.says(.pulse(sent: 3))])
    }

    @Test func whatANewSessionDoesNotHoldIsSentAgainAtOnce() {
        var stage = Stage.working(.work("a"), .work("b"))
        #expect(
            stage.play(.hello(credit: 1, epoch: 1, held: [.attempt(1)])) == [
                .welcome(session: 2), .joined(), .note(.redelivered(.ann, effects: 1)),
                .says(.effects(after: 0, [first.order("a")]), session: 2),
            ])
        // It counts in the new session.
        stage.update = ["ask": [.work("new")]]
        #expect(stage.play(.outside(1, key: "k", "ask")).orders == [])
    }

    @Test func anAttemptThatWasForgottenAfterReportsBecomesANewOne() {
        var stage = Stage.working(.work())
        stage.play(.says(.events(creditTotal: 0, [first.event(1, "half", final: false)])))
        // The same attempt would use its numbers again, and its reports would pass for repeated ones.
        #expect(stage.play(.hello(epoch: 1)).orders == [second.order()])
        stage.play(.says(.events(creditTotal: 0, [second.event()]), session: 2))
        #expect(stage.applied == ["half", "done"])
    }

    @Test func anOrderThatNeverArrivedCostsNoCredit() {
        var stage = Stage.begun(.work("a", timeout: .seconds(1.5)), .work("b"))
        stage.play(.hello(credit: 1))
        stage.now = .seconds(1.5)
        #expect(stage.play(.tick).orders == [])
        #expect(stage.applied == ["failed: the handler did not answer in time on worker \(Incarnation.ann)"])
        #expect(stage.play(.holds(of: 0, credit: 1)).orders == [], "it may be on its way")
        #expect(stage.play(.holds(of: 1, received: 0, credit: 1)).orders.map(\.effect.words) == ["b"])
        #expect(stage.play(.holds(.attempt(1), of: 2, received: 1, credit: 1)).orders == [])
    }

    @Test func anOrderThatArrivedCostsItsCreditUntilTheWorkerSaysSo() {
        var stage = Stage.begun(.work("a", timeout: .seconds(1.5)), .work("b"))
        stage.play(.hello(credit: 1))
        stage.now = .seconds(1.5)
        stage.play(.tick)
        // It ran, was cancelled and forgotten between two lists.
        #expect(stage.play(.holds(of: 1, received: 1, credit: 1)).orders == [])
        #expect(stage.play(.holds(of: 1, received: 1, credit: 1)).orders == [])
        #expect(stage.play(.says(.credit(total: 2))).orders.map(\.effect.words) == ["b"])
    }

    @Test func aLostOrderIsSentAgainOnTheCreditThatItLeft() {
        var stage = Stage.begun(.work("a"), .work("b"), .work("c"))
        stage.play(.hello(credit: 2))
        // Its place is not given to another one before it is known whose it is.
        #expect(stage.play(.says(.credit(total: 2))).orders == [])
        #expect(stage.play(.holds(.attempt(1), of: 2, received: 1, credit: 2)).orders.map(\.effect.words) == ["a"])
        #expect(stage.play(.says(.credit(total: 2))).orders == [])
        #expect(stage.play(.says(.credit(total: 3))).orders.map(\.effect.words) == ["c"])
    }

    @Test func whatWasRecalledBeforeItLeftHasNoNumber() {
        var stage = Stage.begun(.work("a"), .work("b"), .work("c"))
        stage.play(.hello(credit: 3))
        // All are lost and to be sent again, when the first is cancelled before that leaves.
        _ = stage.handle(.holds(of: 3, credit: 3))
        #expect(stage.play(.cancel(first.effect)).orders.map(\.effect.words) == ["b", "c"])
        #expect(stage.play(.holds(.attempt(1), of: 4, received: 1, credit: 3)) == [], "the list is older than c")
        #expect(stage.play(.holds(.attempt(1), of: 5, received: 1, credit: 3)).orders.map(\.effect.words) == ["c"])
    }

    @Test func aHelloThatCameTwiceBeginsOneSession() {
        var stage = Stage.working(.work("a"))
        let hello = Hello(
            number: 2, incarnation: .ann, journal: .ours, pools: ["pool"], build: "b", contentTypes: [], creditTotal: 9,
            held: [HeldAttempt(id: first)])
        let said = CoordinatorInput.received(Envelope(epoch: 1, session: 0, message: .hello(hello)), from: .ann)
        let welcome = Welcome(
            hello: 2, version: 1, journal: .ours, heartbeat: 1000, silence: 5000, maximumPayload: 4 << 20)
        #expect(stage.play(said) == [.says(.welcome(welcome), session: 2), .joined()])
        #expect(stage.play(said) == [])
        var older = hello
        older.number = 1
        #expect(stage.play(.received(Envelope(epoch: 1, session: 0, message: .hello(older)), from: Peer(8))) == [])
        older.number = 3
        #expect(
            stage.play(.received(Envelope(epoch: 1, session: 0, message: .hello(older)), from: Peer(8))).count == 2)
    }

    @Test func anAttemptHeldInVainIsStale() {
        var stage = Stage.working(.work())
        let vain = AttemptID.attempt(5, of: 9)
        let list = WorkerMessage.heartbeat(creditTotal: 0, held: [HeldAttempt(id: first), HeldAttempt(id: vain)])
        #expect(stage.play(.says(list)) == [.says(.stale([vain]))])
        // An attempt whose last report is being written is not held in vain: its ACK follows.
        stage.commits = false
        stage.play(.says(.events(creditTotal: 0, [first.event()])))
        #expect(stage.play(.says(.heartbeat(creditTotal: 0, held: [HeldAttempt(id: first)]))) == [])
        #expect(stage.commit() == [.says(.ack([first.report(1)]))])
    }

    @Test func whatADrainingWorkerDoesNotHoldGoesElsewhereAtOnce() {
        var stage = Stage.working(.work("a"), .work("b"))
        stage.play(.hello(.bob))
        #expect(
            stage.play(.says(.draining(held: [HeldAttempt(id: .attempt(1))]))) == [
                .note(.draining(.ann)), .says(.effects(after: 0, [second.order("a")]), to: .bob, session: 2),
            ])
        // It gets nothing new, may finish what it holds, and leaves.
        stage.update = ["done": [.work("new")]]
        let done = WorkerMessage.events(creditTotal: 99, [AttemptID.attempt(1).event()])
        #expect(
            stage.play(.says(done)) == [
                .says(.ack([AttemptID.attempt(1).report(1)])),
                .says(.effects(after: 1, [AttemptID.attempt(0, of: 1).order("new")]), to: .bob, session: 2),
            ])
        #expect(stage.play(.says(.draining(held: []))) == [])
        #expect(stage.play(.says(.bye)) == [.note(.left(.ann, effects: 0))])
    }

    @Test func byeGivesAllBack() {
        var stage = Stage.working(.work("a"), .work("b"))
        stage.play(.hello(.bob, credit: 5))
        #expect(
            stage.play(.says(.bye)) == [
                .note(.left(.ann, effects: 2)),
                .says(
                    .effects(after: 0, [second.order("a"), AttemptID.attempt(1, 2).order("b")]), to: .bob, session: 2),
            ])
    }
}
