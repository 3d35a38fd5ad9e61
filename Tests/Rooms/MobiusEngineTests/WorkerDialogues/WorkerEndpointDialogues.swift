import MobiusEngine
import MobiusWire
import Testing

/// Several coordinators: front doors, MOVED, owners that are lost.
@Suite struct WorkerEndpointDialogues {
    private let first = AttemptID.attempt()
    private static let (a, b, c) = ("tcp://10.0.0.1:1", "tcp://10.0.0.2:1", "tcp://10.0.0.3:1")
    private let owner = "tcp://10.0.0.2:2"

    /// A worker with three front doors that has said HELLO at the first.
    private func greeting(_ endpoints: [String] = [a, b, c]) -> WorkerBench {
        var bench = WorkerBench(endpoints: endpoints)
        bench.play(.connected)
        return bench
    }

    private func moved(_ endpoint: String?, hello: UInt32 = 0) -> WorkerInput {
        .says(.moved(Moved(endpoint: endpoint, hello: hello)), session: 0, epoch: 0)
    }

    /// Whether the actions are one move, to this endpoint and after a short pause.
    private func isPausedMove(_ actions: [WorkerAction], to endpoint: String?) -> Bool {
        guard case .move(endpoint, let pause) = actions.last else { return false }
        return pause >= .milliseconds(100) && pause <= .milliseconds(250)
    }

    @Test func movedLeadsToTheOwnerAtOnce() {
        var bench = greeting()
        #expect(bench.play(moved(owner)) == [.move(to: owner, after: .zero)])
        #expect(bench.play(.connected) == [bench.hello(credit: 2, journal: nil, epoch: 0)])
        #expect(bench.play(.welcome()) == [.note(.joined(epoch: 1, session: 1))])
        #expect(bench.wait(.seconds(1)) == [.heartbeat(credit: 2)], "it stays")
    }

    @Test func withoutAnOwnerTheDoorsAreVisitedInTurn() {
        var bench = greeting()
        for door in [Self.b, Self.c, Self.a, Self.b] {
            #expect(isPausedMove(bench.play(moved(nil)), to: door))
            bench.now = bench.now + .milliseconds(250)
            bench.play(.connected)
        }
    }

    @Test func aSilentDoorIsLeftAfterASecond() {
        var bench = greeting()
        let actions = bench.wait(.seconds(1))
        #expect(isPausedMove(actions, to: Self.b), "\(actions)")
    }

    @Test func aDoorThatCannotBeReachedIsLeftSoon() {
        var bench = WorkerBench(endpoints: [Self.a, Self.b])
        bench.play()
        #expect(isPausedMove(bench.play(.disconnected), to: Self.b))
        #expect(isPausedMove(bench.play(.disconnected), to: Self.a))
    }

    @Test func anOwnerThatIsLostIsForgottenAndTheNextDoorAskedAtOnce() {
        var bench = greeting()
        bench.play(moved(owner), .connected, .welcome(), .says(.effects([first.order()])))
        #expect(bench.play(.disconnected) == [.note(.disconnected), .move(to: Self.b, after: .zero)])
        #expect(bench.play(.report(first, "done")) == [], "it is kept")
        let hello = bench.hello(credit: 2, held: first.heard(0))
        #expect(bench.play(.connected) == [hello])
        #expect(bench.play(moved("tcp://10.0.0.3:2")) == [.move(to: "tcp://10.0.0.3:2", after: .zero)])
        #expect(bench.play(.connected) == [hello])
        #expect(
            bench.play(.welcome(session: 4, epoch: 2)) == [
                .note(.joined(epoch: 2, session: 4)),
                .says(.events(creditTotal: 2, [first.event()]), session: 4, epoch: 2),
            ])
    }

    @Test func anOwnerThatIsSilentIsLeftAsAnyOther() {
        var bench = greeting()
        bench.play(moved(owner), .connected, .welcome(heartbeat: 250, silence: 600))
        let actions = bench.wait(.seconds(0.8))
        #expect(actions.suffix(2) == [.note(.silent), .move(to: Self.b, after: .zero)], "\(actions)")
    }

    @Test func anOwnerThatDoesNotWelcomeIsForgottenAfterASecond() {
        var bench = greeting([Self.a])
        #expect(bench.play(moved(owner)) == [.move(to: owner, after: .zero)])
        #expect(bench.wait(.milliseconds(999)) == [])
        #expect(isPausedMove(bench.wait(.milliseconds(1)), to: Self.a))
    }

    @Test func anOwnerThatIsTooSlowAgainAndAgainGetsMoreTime() {
        var bench = greeting([Self.a])
        var times: [Duration] = []
        for _ in 1...14 {
            bench.play(moved(owner))
            let begin = bench.now
            while bench.machine.isMoved, let deadline = bench.machine.nextDeadline {
                bench.now = deadline
                bench.play(.tick)
            }
            times.append(bench.now - begin)
            bench.now = bench.now + .milliseconds(250)
            bench.play(.connected)
        }
        #expect(times.first == .seconds(1))
        #expect(times[6] == .seconds(2))
        #expect(times.last == .seconds(4))
    }

    @Test func doorsThatNameEachOtherAreFollowedForAFewStepsOnly() {
        var bench = greeting([Self.a, Self.b])
        #expect(bench.play(moved(Self.b)) == [.move(to: Self.b, after: .zero)])
        bench.play(.connected)
        #expect(isPausedMove(bench.play(moved(Self.a)), to: Self.a))
        bench.play(.connected)
        #expect(isPausedMove(bench.play(moved(Self.b)), to: Self.b))
        bench.play(.connected)
        #expect(isPausedMove(bench.play(moved(Self.a)), to: Self.b), "the next front door")
        let isMoved = bench.machine.isMoved
        #expect(!isMoved)
    }

    @Test func anOwnerOfAnOldEpochIsRefusedAndNotedOnce() {
        var bench = greeting()
        bench.play(moved(owner), .connected, .welcome(epoch: 5), .disconnected, .connected)
        for round in 0..<3 {
            bench.play(moved("tcp://10.0.0.9:9"), .connected)
            let actions = bench.play(.welcome(epoch: 4))
            #expect(actions.first == (round == 0 ? .note(.refusedEpoch(4, newest: 5)) : actions.last))
            #expect(actions.count == (round == 0 ? 2 : 1))
            guard case .move(let endpoint?, let pause) = actions.last else {
                Issue.record("it stays: \(actions)")
                return
            }
            // Each of the three doors once, then with pauses.
            #expect([Self.a, Self.b, Self.c].contains(endpoint))
            #expect(round < 2 ? pause == .zero : pause >= .milliseconds(100))
            bench.play(.connected)
        }
    }

    @Test func aCoordinatorThatStopsIsLeftWithItsConnection() {
        var bench = greeting()
        bench.play(moved(owner), .connected, .welcome())
        #expect(bench.play(.says(.drain(.wait))) == [.note(.coordinatorStopping)])
        #expect(bench.play(.disconnected) == [.move(to: Self.b, after: .zero)])
    }

    @Test func aCoordinatorThatStopsAndKeepsTheConnectionIsLeftAfterASecond() {
        var bench = greeting()
        bench.play(moved(owner), .connected, .welcome(), .says(.drain(.wait)))
        let actions = bench.wait(.seconds(1))
        #expect(actions.contains(.move(to: Self.b, after: .zero)), "\(actions)")
    }

    @Test func movedCountsOnlyForTheNewestHelloAndOutsideOfASession() {
        var bench = greeting()
        bench.play(.progress([:]))
        #expect(bench.play(moved(owner, hello: 7)) == [], "it answers another HELLO")
        bench.play(.welcome())
        #expect(bench.play(moved(owner)) == [])
        #expect(bench.wait(.seconds(1)) == [.heartbeat(credit: 2)])
    }

    @Test func oneEndpointIsLeftToTheSocket() {
        var bench = greeting([Self.a])
        bench.play(.welcome())
        #expect(bench.play(.disconnected) == [])
        #expect(bench.wait(.seconds(1)) == [.heartbeat(credit: 2)])
        bench.wait(.seconds(5))
        #expect(bench.play(.disconnected) == [])
        bench.play(.connected)
        #expect(isPausedMove(bench.play(moved(nil)), to: Self.a), "until a MOVED comes")
        #expect(isPausedMove(bench.play(.disconnected), to: Self.a))
    }

    @Test func aDrainingWorkerLooksForTheOwnerToo() {
        var bench = greeting()
        bench.play(moved(owner), .connected, .welcome(), .says(.effects([first.order()])))
        bench.play(.drain(deadline: bench.now + .seconds(30)))
        #expect(bench.play(.disconnected) == [.note(.disconnected), .move(to: Self.b, after: .zero)])
        #expect(bench.play(.connected) == [bench.hello(credit: 0, held: first.silent)])
        #expect(
            bench.play(.welcome(session: 1, epoch: 2)).last
                == .says(.draining(held: [first.silent]), session: 1, epoch: 2))
    }
}
