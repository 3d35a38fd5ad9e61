import MobiusEngine
import MobiusJournal
import MobiusWire
import Testing

/// A disk that is slower than those who report: what a coordinator takes in, and whom it tells.
@Suite struct PressureDialogues {
    private let first = AttemptID.attempt()

    private func stage(records: Int = 4, bytes: Int = 1 << 20) -> Stage {
        var configuration = CoordinatorConfiguration(journal: .ours, epoch: 1)
        configuration.maximumUncommitted = records
        configuration.maximumUncommittedBytes = bytes
        var stage = Stage(configuration)
        stage.play(.begin(.main, effects: [.work()]), .hello(credit: 10))
        stage.commits = false
        return stage
    }

    private func says(_ numbers: ClosedRange<UInt32>, words: String = "x") -> CoordinatorInput {
        .says(.events(creditTotal: 0, numbers.map { first.event($0, words, final: false) }))
    }

    private let resync = CoordinatorAction.says(.resync)

    @Test func reportsBeyondTheBoundAreDroppedAndAskedForAgain() {
        var stage = stage()
        stage.play(says(1...4))
        #expect(stage.play(says(5...6)) == [])
        #expect(stage.applied.count == 4)
        #expect(stage.commit() == [resync, .says(.ack((1...4).map { first.report($0) }))])
        stage.play(.hello(credit: 9, held: [first]))
        stage.play(.says(.events(creditTotal: 0, (5...6).map { first.event($0, "x", final: false) }), session: 2))
        #expect(stage.applied.count == 6)
        #expect(stage.machine.audit() == [])
    }

    @Test func timersWaitWhileADiskHangsAndFireInRounds() throws {
        var configuration = CoordinatorConfiguration(journal: .ours, epoch: 1)
        configuration.maximumUncommitted = 1500
        var stage = Stage(configuration)
        stage.play(.wallClock(WallTime(milliseconds: 0)))
        stage.play(.begin(.main, effects: (0..<4000).map { .timer(.after(.seconds(1)), "\($0)") }))
        stage.commits = false
        stage.wait(.seconds(1))
        let round = stage.applied.count
        #expect((1..<1500).contains(round))
        for _ in 0..<100 {
            guard let deadline = stage.machine.nextDeadline, deadline <= stage.now else { break }
            stage.play(.tick)
        }
        // A few more than the bound, those of the round that reached it.
        #expect((1500...1500 + round).contains(stage.applied.count))
        for _ in 0..<100 where stage.applied.count < 4000 {
            stage.commit()
            stage.commits = false
            while let deadline = stage.machine.nextDeadline, deadline <= stage.now { stage.play(.tick) }
        }
        #expect(stage.applied.count == 4000)
        #expect(stage.machine.audit() == [])
    }

    @Test func bytesCountAsRecordsDo() {
        var stage = stage(records: 1000, bytes: 10)
        stage.play(says(1...1, words: "0123456789"))
        stage.play(says(2...2))
        #expect(stage.applied.count == 1)
        #expect(stage.commit().first == resync)
    }

    @Test func theyAreAskedForOnlyWhenThereIsRoom() {
        var stage = stage(records: 4)
        stage.play(says(1...1))
        stage.play(says(2...4))
        stage.play(says(5...5))
        #expect(stage.commitFirst() == [])
        #expect(stage.commitFirst().contains(resync))
    }

    @Test func aWorkerThatTalksLivesWhateverTheDiskDoes() {
        var stage = stage()
        stage.play(says(1...4))
        var actions: [CoordinatorAction] = []
        for _ in 0..<60 {
            stage.now = stage.now + .seconds(1)
            actions += stage.play(says(5...8), .tick)
        }
        #expect(actions.withoutPulses == [])
        #expect(stage.machine.workerCount == 1)
        #expect(stage.applied.count == 4)
    }

    @Test func sendersFromOutsideAreToldThatItIsBusy() {
        var stage = stage()
        stage.play(says(1...4))
        #expect(stage.play(.outside(1, key: "1")) == [.busy(RequestID(1))])
        stage.commit()
        #expect(stage.play(.outside(1, key: "1")).confirmed == [RequestID(1)])
    }

    @Test func aHandlerOfThisProcessIsToldWhatIsOnDisk() {
        var stage = Stage.begun(.local())
        stage.commits = false
        stage.play(
            .localReport(first, event: .news("four"), final: false),
            .localReport(first, event: .news("x"), final: false))
        #expect(stage.commit() == [.acknowledged(first, events: 2, bytes: 5)])
        // One that nobody waits for does not wait either.
        let stranger = AttemptID.attempt(7)
        #expect(
            stage.play(.localReport(stranger, event: .news("four"), final: false)) == [
                .acknowledged(stranger, events: 1, bytes: 4)
            ])
        #expect(
            stage.play(.localReport(first, event: .news("unreadable"), final: false)) == [
                .acknowledged(first, events: 1, bytes: 10)
            ])
        #expect(stage.play(.localReport(first, event: nil, final: true)) == [])
    }

    @Test func answersThatCanBeAskedForAgainAreFew() {
        var stage = stage(records: 1000)
        stage.commits = true
        let strange = (100..<50_000).map { HeldAttempt(id: .attempt($0)) }
        let actions = stage.play(.says(.heartbeat(creditTotal: 10, held: strange + [HeldAttempt(id: first)])))
        let stales = actions.compactMap { action -> Int? in
            guard case .send(_, let envelope) = action, case .stale(let stale) = envelope.message else { return nil }
            return stale.count
        }
        #expect(stales == [1024, 1024, 1024, 1024])
        // The same for a report that comes again and again.
        stage.play(says(1...1))
        let again = Array(repeating: first.event(1, "x", final: false), count: 50_000)
        let acks = stage.play(.says(.events(creditTotal: 10, again))).compactMap { action -> Int? in
            guard case .send(_, let envelope) = action, case .ack(let acks) = envelope.message else { return nil }
            return acks.count
        }
        #expect(acks == [1024, 1024, 1024, 1024])
    }
}
