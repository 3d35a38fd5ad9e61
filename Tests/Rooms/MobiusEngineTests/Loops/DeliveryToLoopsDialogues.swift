import MobiusEngine
import MobiusJournal
import MobiusWire
import Testing

/// Effects that are events for other loops.
@Suite struct DeliveryToLoopsDialogues {
    private let other: LoopID

    init() throws {
        other = try #require(LoopID("other"))
    }

    @Test func anEventAndItsEffectsEndAreRecordsOfOneCommit() throws {
        var stage = Stage.begun([])
        stage.commits = false
        stage.ask(.event("hello", for: other), by: "send")
        stage.play(.tick)
        #expect(stage.applied == ["send"])  // it is not on disk yet
        _ = stage.commitFirst()
        #expect(stage.machine.nextDeadline == stage.now)
        let actions = stage.handle(.tick)
        #expect(actions == [.deliver(.effect(0, of: 1), effect: .work("hello"), to: other)])
        _ = stage.handle(.begin(other, effects: []))
        let application = EventApplication(
            loop: other, source: .loop(.effect(0, of: 1)), event: .news("hello"), ends: nil,
            origin: .effect(.effect(0, of: 1)))
        _ = stage.handle(.applied(application, effects: []))
        let appended = stage.handle(.flush).compactMap { if case .append(_, let records) = $0 { records } else { nil } }
        #expect(appended.count == 1)
        #expect(appended.first?.map(\.loop) == [other, other, .main])
        #expect(appended.first?.last == .note(.effect(0, of: 1), .ended))
        #expect(stage.machine.audit() == [])
    }

    @Test func whatIsForALoopOnDiskWaitsUntilThatIsRead() {
        var stage = Stage.begun([])
        stage.away = [other]
        stage.ask(.event("one", for: other), .event("two", for: other), by: "send")
        stage.live(.seconds(1))
        #expect(stage.applied == ["send"])
        #expect(stage.machine.nextDeadline.map { $0 > stage.now } ?? true)  // nothing spins meanwhile
        #expect(stage.machine.audit() == [])
        stage.away = []
        stage.play(.recover(ResumedLoop(loop: other, lastSequence: 4, pending: [], outsideKeys: [])))
        stage.play(.arrived(other))
        stage.live(.seconds(1))
        #expect(stage.applied == ["send", "one", "two"])
        #expect(stage.machine.audit() == [])
    }

    @Test func whatIsForALoopOfAnotherShardGoesThereOneAfterTheOther() {
        var stage = Stage.begun([])
        stage.away = [other]
        stage.ask(.event("one", for: other), .event("two", for: other), by: "send")
        stage.live(.seconds(1))
        #expect(stage.deliveries == [.effect(0, of: 1)])
        stage.play(.answered(.effect(0, of: 1), LoopReply(nil)))
        stage.play(.arrived(other))
        stage.live(.seconds(1))
        #expect(stage.deliveries == [.effect(0, of: 1), .effect(1, of: 1)])
        stage.play(.answered(.effect(1, of: 1), LoopReply(nil)))
        // Known once more, as after a repetition.
        stage.play(.answered(.effect(1, of: 1), LoopReply(nil)))
        stage.play(.arrived(other))
        stage.live(.seconds(1))
        #expect(stage.records.count { if case .note(_, .ended) = $0 { true } else { false } } == 2)
        #expect(stage.machine.snapshotState(of: .main)?.pending ?? [] == [])
        #expect(stage.machine.audit() == [])
    }

    @Test func whatAnotherShardRefusesFailsAsAnyEffectDoes() {
        var stage = Stage.begun([])
        stage.away = [other]
        stage.ask(.event("one", for: other), by: "send")
        stage.live(.seconds(1))
        stage.play(.undeliverable(.effect(0, of: 1), reason: "it has ended"))
        stage.play(.arrived(other))
        stage.live(.seconds(1))
        #expect(stage.applied == ["send", "failed: it has ended"])
        #expect(stage.machine.audit() == [])
    }

    @Test func whatAnotherBuildRefusesThereKeepsItsPlaceAndIsSentAgain() {
        var stage = Stage.begun([])
        stage.away = [other]
        stage.ask(.event("one", for: other), .event("two", for: other), by: "send")
        stage.live(.seconds(1))
        let (one, two) = (EffectID.effect(0, of: 1), EffectID.effect(1, of: 1))
        // The machine cannot be copied, and so not be captured by an expectation.
        func heldBack(_ stage: borrowing Stage) -> [EffectID] { [one, two].filter { stage.machine.isHeldBack($0) } }
        #expect(heldBack(stage) == [])
        stage.play(.heldBack(one, reason: "it cannot be read"))
        #expect(heldBack(stage) == [one])
        let obstacle = stage.machine.effect(one, at: stage.now)?.summary.obstacle
        #expect(obstacle?.hasSuffix("it cannot be read") == true)
        stage.play(.arrived(other))
        stage.live(.seconds(1))
        #expect(stage.deliveries == [one, one])
        // An operator drops it, before or after its next answer: the one behind it goes on.
        stage.play(.completedWithoutEvent(one))
        stage.play(.heldBack(one, reason: "it cannot be read"))
        #expect(heldBack(stage) == [])
        stage.play(.arrived(other))
        stage.live(.seconds(1))
        #expect(stage.deliveries == [one, one, two])
        stage.play(.answered(two, LoopReply(nil)))
        stage.play(.arrived(other))
        stage.live(.seconds(1))
        #expect(stage.applied == ["send"])
        #expect(stage.machine.snapshotState(of: .main)?.pending ?? [] == [])
        #expect(stage.machine.audit() == [])
    }

    @Test(arguments: [nil, "it has ended"])
    func oneThatIsCancelledOnItsWayEndsOnce(refusal: String?) {
        var stage = Stage.begun([])
        stage.away = [other]
        stage.ask(.event("one", for: other), by: "1")
        stage.live(.seconds(1))
        stage.ask(.cancel("one"), by: "2")
        stage.play(
            refusal.map { .undeliverable(.effect(0, of: 1), reason: $0) }
                ?? .answered(.effect(0, of: 1), LoopReply(nil)))
        stage.play(.arrived(other))
        stage.live(.seconds(1))
        #expect(stage.applied == ["1", "2"])
        #expect(stage.machine.snapshotState(of: .main)?.pending ?? [] == [])
        #expect(stage.machine.audit() == [])
    }

    @Test func eachCrashLeadsToOneApplicationInOrder() throws {
        for commits in 0...4 {
            var stage = Stage.begun([])
            stage.commits = false
            stage.ask(.event("one", for: other), .event("two", for: other), by: "send")
            stage.ask(.event("three", for: other), by: "more")
            for _ in 0..<commits where !stage.written.isEmpty {
                _ = stage.commitFirst()
                stage.play(.tick)
            }
            stage.commits = true
            try stage.restart()
            stage.live(.seconds(1))
            let taken = stage.records.compactMap { record -> String? in
                if case .event(let event) = record, event.loop == other { event.event?.words } else { nil }
            }
            // The second commit has the second event.
            let expected = Array(["one", "two", "three"].prefix([0, 2][min(commits, 1)] + (commits > 1 ? 1 : 0)))
            #expect(taken == expected, "after \(commits) commits")
            #expect(stage.machine.snapshotState(of: .main)?.pending ?? [] == [])
            #expect(stage.machine.audit() == [])
        }
    }

    @Test func loopsThatSendForeverLetOthersIn() {
        var stage = Stage.begun([])
        stage.update["ping"] = [.event("ping", for: .main)]
        stage.ask(.event("ping", for: .main), by: "begin")
        #expect(stage.applied.count == 1)
        for round in 1...5 {
            stage.play(.tick)
            #expect(stage.applied.count == 1 + round)
        }
        #expect(stage.play(.outside(9, key: "k")).confirmed == [RequestID(9)])
    }

    @Test func oneRoundDeliversABoundedNumber() {
        var stage = Stage.begun([])
        stage.update["many"] = (0..<1000).map { .event("\($0)", for: other) }
        stage.play(.outside(1, key: "many", "many"))
        stage.play(.tick)
        #expect(stage.applied.count == 257)
        stage.live(.seconds(3))
        #expect(stage.applied.dropFirst() == (0..<1000).map { "\($0)" }[...])
        #expect(stage.machine.audit() == [])
    }

    @Test func forAHeldLoopTheyWaitInOrder() throws {
        var stage = Stage.begun([])
        stage.play(.begin(other, effects: []), .hold(other))
        stage.ask(.event("one", for: other), by: "1")
        stage.ask(.event("two", for: other), by: "2")
        stage.live(.seconds(1))
        #expect(stage.applied == ["1", "2"])
        let effect = stage.machine.effect(.effect(0, of: 1), at: stage.now)
        let waiting = try #require(effect)
        #expect(waiting.summary.obstacle.contains("is held"))
        #expect(stage.machine.audit() == [])
        stage.play(.recover(ResumedLoop(loop: other, lastSequence: 0, pending: [])))
        stage.live(.seconds(1))
        #expect(stage.applied == ["1", "2", "one", "two"])
    }

    @Test func oneThatHoldsItsLoopWaitsBeforeTheOthers() throws {
        var stage = Stage.begun([])
        stage.ask(.event("trap", for: other), .event("two", for: other), .event("else", for: .main), by: "1")
        stage.live(.seconds(1))
        #expect(stage.applied == ["1", "else"])
        #expect(stage.machine.snapshotState(of: .main)?.pending.map(\.id) == [.effect(0, of: 1), .effect(1, of: 1)])
        #expect(stage.machine.audit() == [])
        stage.play(.recover(ResumedLoop(loop: other, lastSequence: 0, pending: [])))
        let actions = stage.handle(.tick)
        #expect(actions.first == .deliver(.effect(0, of: 1), effect: .work("trap"), to: other))
    }

    @Test func oneWhoseSenderIsHeldWaitsForIt() throws {
        var stage = Stage.begun([])
        stage.play(.begin(other, effects: []), .hold(other))
        stage.ask(.event("one", for: other), by: "1")
        stage.play(.hold(.main), .recover(ResumedLoop(loop: other, lastSequence: 0, pending: [])))
        stage.live(.seconds(1))
        #expect(stage.applied == ["1"])
        let pending = PendingEffect(id: .effect(0, of: 1), effect: .work("one"))
        let plan = PlannedEffect.event("one", for: other).plan
        stage.play(.recover(ResumedLoop(loop: .main, lastSequence: 1, pending: [(pending, plan)])))
        stage.live(.seconds(1))
        #expect(stage.applied == ["1", "one"])
    }

    @Test func oneThatCannotBeReadFails() {
        var stage = Stage.begun([])
        stage.ask(.event("unreadable", for: other), by: "1")
        stage.live(.seconds(1))
        #expect(stage.applied == ["1", "failed: strange"])
        #expect(stage.machine.audit() == [])
    }

    @Test func aCancelledOneIsNotDelivered() {
        var stage = Stage.begun([])
        stage.play(.begin(other, effects: []), .hold(other))
        stage.ask(.event("one", for: other), by: "1")
        stage.ask(.cancel("one"), by: "2")
        stage.play(.recover(ResumedLoop(loop: other, lastSequence: 0, pending: [])))
        stage.live(.seconds(1))
        #expect(stage.applied == ["1", "2"])
        #expect(stage.machine.audit() == [])
    }
}
