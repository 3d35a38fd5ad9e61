import MobiusEngine
import MobiusWire
import Testing

/// HELLO and its answers, and what happens to those who did not say it.
@Suite struct CoordinatorSessionTests {
    @Test func helloIsAnsweredWithWelcome() {
        var stage = Stage.begun()
        #expect(stage.handle(.hello(journal: nil)) == [.welcome(), .joined()])
        #expect(stage.handle(.flush) == [])
    }

    @Test func everyHelloOpensANewSession() {
        var stage = Stage.begun()
        #expect(stage.play(.hello(.ann)) == [.welcome(), .joined()])
        #expect(stage.play(.hello(.bob)) == [.welcome(.bob, session: 2), .joined(.bob)])
        #expect(stage.play(.hello(.ann, from: Peer(9))) == [.welcome(Peer(9), session: 3), .joined()])
        // Its former connection and its former session are over.
        #expect(stage.play(.says(.credit(total: 5))) == [.says(.resync, session: 1)])
        #expect(stage.play(.says(.credit(total: 5), from: Peer(9))) == [.says(.resync, to: Peer(9), session: 1)])
        #expect(stage.play(.says(.credit(total: 5), from: Peer(9), session: 3)) == [])
    }

    @Test func anotherVersionIsRejectedOnce() {
        var stage = Stage.begun()
        let reason = "this coordinator speaks version 1 of the protocol only"
        #expect(
            stage.play(.hello(versions: [2, 3])) == [
                .says(.reject(reason), session: 0), .note(.refused(.ann, reason: reason)),
            ])
        #expect(stage.play(.hello(versions: [2, 3])) == [])
        #expect(stage.play(.hello(.bob, versions: [1, 2])) == [.welcome(.bob), .joined(.bob)])
    }

    @Test func aWorkerThatCannotReadTheEffectsIsRejectedOnce() {
        var configuration = CoordinatorConfiguration(journal: .ours, epoch: 1)
        configuration.contentType = "application/vnd.mobius.fast"
        var stage = Stage(configuration)
        let reason =
            "the program's effects are application/vnd.mobius.fast, and this worker reads only application/json, text/css"
        let hello = CoordinatorInput.hello(contentTypes: ["application/json", "text/css"])
        #expect(stage.play(hello) == [.says(.reject(reason), session: 0), .note(.refused(.ann, reason: reason))])
        #expect(stage.play(hello) == [])
        let able = CoordinatorInput.hello(.bob, contentTypes: ["application/json", "application/vnd.mobius.fast"])
        #expect(stage.play(able) == [.welcome(.bob), .joined(.bob)])
        // One that says nothing of it may be able to.
        #expect(stage.play(.hello(from: Peer(9))) == [.welcome(Peer(9), session: 2), .joined()])
    }

    @Test func aNewWorkerWithoutHandlersForATypeOfItsPoolIsRejectedOnce() {
        var configuration = CoordinatorConfiguration(journal: .ours, epoch: 1)
        configuration.effectTypes = ["pool": ["order.effect", "visit.effect"], "other": ["secret.effect"]]
        var stage = Stage(configuration)
        let reason = """
            effects of the type visit.effect go to the pool pool, and this worker has handlers only for order.effect, tea.effect: \
            build it with the library that has the coordinator's programs, and list the handlers of each
            """
        let hello = CoordinatorInput.hello(journal: nil, effectTypes: ["order.effect", "tea.effect"])
        #expect(stage.play(hello) == [.says(.reject(reason), session: 0), .note(.refused(.ann, reason: reason))])
        #expect(stage.play(hello) == [])
        // It may have handlers for more than its pools get.
        let able = CoordinatorInput.hello(
            .bob, journal: nil, effectTypes: ["order.effect", "tea.effect", "visit.effect"])
        #expect(stage.play(able) == [.welcome(.bob), .joined(.bob)])
        // One that says nothing of it may be able to.
        #expect(stage.play(.hello(from: Peer(9), journal: nil)) == [.welcome(Peer(9), session: 2), .joined()])
    }

    @Test func aWorkerFromBeforeAnUpgradeGoesOnWithTheTypesThatItKnows() {
        var configuration = CoordinatorConfiguration(journal: .ours, epoch: 1)
        configuration.effectTypes = ["pool": ["order.effect", "visit.effect"]]
        var stage = Stage(configuration)
        #expect(stage.play(.hello(effectTypes: ["order.effect"])) == [.welcome(), .joined()])
    }

    @Test func aWorkerThatKnowsALaterEpochIsLeftInSilence() {
        var stage = Stage.begun()
        #expect(stage.play(.hello(epoch: 2)) == [.note(.outranked(.ann, by: 2, own: 1))])
        #expect(stage.play(.hello(epoch: 2)) == [])
    }

    @Test func epochsOfAnotherJournalMeanNothing() {
        var stage = Stage.begun()
        let held = AttemptID.attempt(7, epoch: 8)
        #expect(stage.handle(.hello(journal: .other, epoch: 9, held: [held])) == [.welcome(), .joined()])
        #expect(stage.handle(.flush) == [.says(.stale([held]))])
    }

    @Test func attemptsOfAnotherJournalAreNotAdopted() {
        var stage = Stage.recovered(.work())
        let held = AttemptID.attempt(0, epoch: 1)
        #expect(
            stage.play(.hello(journal: .other, held: [held])) == [
                .welcome(epoch: 2), .joined(), .says(.stale([held]), epoch: 2),
            ])
    }

    @Test(arguments: [
        WorkerMessage.credit(total: 1), .heartbeat(creditTotal: 1, held: []), .draining(held: []),
        .events(creditTotal: 1, [AttemptID.attempt().event()]),
        .failures(creditTotal: 1, [AttemptID.attempt().failure(retryable: true)]),
    ])
    func unknownSessionsAreToldToSayHello(message: WorkerMessage) {
        var stage = Stage.working(.work())
        #expect(stage.play(.says(message, from: .bob)) == [.says(.resync, to: .bob, session: 1)])
        #expect(stage.play(.says(message, session: 2)) == [.says(.resync, session: 2)])
        #expect(stage.play(.says(message, epoch: 0)) == [.says(.resync, session: 1)])
        #expect(stage.applied == [])
    }

    @Test func byeOfAnUnknownSessionIsNotAnswered() {
        var stage = Stage.begun()
        #expect(stage.play(.says(.bye)) == [])
    }

    @Test func bytesThatAreNoMessageAreAnsweredOnce() {
        var stage = Stage.begun()
        let error = WireError(.truncated, "3 of 20 bytes")
        let reason = "not understood: \(error)"
        #expect(
            stage.play(.malformed(error, from: .ann)) == [
                .says(.reject(reason), session: 0), .note(.refused(.ann, reason: reason)),
            ])
        #expect(stage.play(.malformed(error, from: .ann)) == [])
    }

    @Test func whoMayNotBeHereIsToldEachTimeAndItsWorkGoesToOthers() {
        var stage = Stage.working(.work())
        let refusal: [CoordinatorAction] = [
            .says(.reject("forbidden: no"), session: 0), .note(.refused(.ann, reason: "forbidden: no")),
        ]
        #expect(stage.play(.refused(.ann, reason: "forbidden: no")) == [.note(.left(.ann, effects: 1))] + refusal)
        #expect(stage.play(.refused(.ann, reason: "forbidden: no")) == refusal)
        // Whatever it says now is of no session.
        let report = WorkerMessage.events(creditTotal: 1, [AttemptID.attempt().event()])
        #expect(stage.play(.says(report)) == [.says(.resync, session: 1)])
        #expect(stage.applied == [])
        #expect(stage.play(.hello(.bob)).orders.count == 1)
    }

    @Test func pulsesGoOutAtEachHeartbeat() {
        var stage = Stage.begun()
        stage.play(.hello(.ann), .hello(.bob))
        stage.now = .seconds(1)
        #expect(stage.machine.nextDeadline == .seconds(1))
        #expect(stage.handle(.tick) == [.says(.pulse(sent: 0)), .says(.pulse(sent: 0), to: .bob, session: 2)])
        #expect(stage.machine.nextDeadline == .seconds(2))
        #expect(stage.handle(.tick) == [])
    }

    @Test func anEndedConnectionIsALookAtAll() {
        var stage = Stage.begun()
        stage.play(.hello(.ann))
        #expect(stage.play(.connectionEnded) == [.says(.pulse(sent: 0))])
    }

    @Test func aPoolThatNobodyServesIsNotedOnce() {
        var stage = Stage.begun(.work(), .work())
        let note = CoordinatorAction.note(.unserved(pool: "pool", effects: 2))
        #expect(stage.wait(.seconds(5)) == [note])
        // Told again only when somebody has served it meanwhile.
        #expect(stage.play(.hello(credit: 0)) == [.welcome(), .joined()])
        stage.play(.says(.bye))
        #expect(stage.wait(.seconds(5)) == [note])
    }

    @Test func poolsOfStrangersDoNotPileUp() {
        var stage = Stage.begun()
        stage.play(.hello(pools: ["p", "q", "p"]))
        stage.play(.hello(pools: ["r"]))
        #expect(stage.play(.says(.bye, session: 2)) == [.note(.left(.ann, effects: 0))])
        stage.play(.hello(pools: []))
        stage.play(.says(.bye, session: 3))
        // Equal but for the count of sessions, so nothing of them is kept.
        var fresh = Stage.begun()
        for _ in 1...3 { _ = fresh.handle(.hello(pools: [])) }
        _ = fresh.handle(.says(.bye, session: 3))
        #expect(stage.told == fresh.told)
        #expect(servesStrangers(&stage) == servesStrangers(&fresh))
        #expect(stage.told == fresh.told)
    }

    /// What follows when there is work for these pools, and Ann and Bob come for it, each at the other's connection.
    private func servesStrangers(_ stage: inout Stage) -> [CoordinatorAction] {
        stage.update = ["ask": ["r", "pool", "q", "p"].map { .work(pool: $0) }]
        var actions = stage.play(.outside(1, key: "k", "ask")) + stage.wait(.seconds(5))
        actions += stage.play(.hello(.bob, from: .ann, pools: ["p", "q", "r", "pool"], credit: 9))
        actions += stage.play(.hello(.ann, from: .bob))
        return actions + stage.wait(.seconds(1))
    }

    @Test func aWorkerThatServesOtherPoolsNowGetsNothingOfTheFormer() {
        var stage = Stage.begun()
        stage.update = ["ask": [.work(pool: "old")]]
        stage.play(.hello(pools: ["old"]))
        stage.play(.hello(pools: ["new"]))
        #expect(stage.play(.outside(1, key: "k", "ask")).orders == [])
    }
}
