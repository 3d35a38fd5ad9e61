import MobiusEngine
import MobiusJournal
import MobiusWire
import Testing

/// The orderly end, what a snapshot holds, and the machine's clock.
@Suite struct EndDialogues {
    private let first = AttemptID.attempt()

    @Test func afterStopNothingIsTakenIn() {
        var stage = Stage.working(.work(timeout: .seconds(1)), .local())
        stage.commits = false
        stage.play(.outside(1, key: "k"), .stop)
        #expect(stage.play(.outside(2, key: "l")) == [.stopping(RequestID(2))])
        #expect(stage.play(.says(.events(creditTotal: 9, [first.event()]))) == [])
        #expect(stage.play(.localReport(.attempt(1), event: .news("local"), final: true)) == [])
        #expect(stage.play(.hello(.bob)) == [])
        #expect(stage.play(.says(.bye)) == [])
        stage.now = .seconds(2)
        #expect(stage.play(.tick).cancelled() == [])
        #expect(stage.applied == ["hey"])
    }

    @Test func aSnapshotIsWhatTheJournalSays() throws {
        var stage = Stage.working(.work("a", attempts: 2), .work("b"), .work("c", timeout: .seconds(3)), .local())
        stage.update = ["more": [.work("d"), .local("e")]]
        var journal = RecoveredLoop(loop: .main, snapshot: nil)
        var read = 0
        func check(_ stage: borrowing Stage) throws {
            for record in stage.records[read...] { try journal.apply(record) }
            read = stage.records.count
            let snapshot = stage.machine.snapshotState(of: .main)
            let state = try #require(snapshot)
            #expect(journal.lastSequence == state.sequence)
            #expect(journal.pending == state.pending)
        }
        try check(stage)
        // It holds between the writing and the commit, too: snapshots are taken there.
        stage.commits = false
        let reports = [first.event(1, "half", final: false), AttemptID.attempt(1).event(1, "more")]
        stage.play(.says(.events(creditTotal: 0, reports)))
        try check(stage)
        stage.settle()
        try check(stage)
        stage.fails(first.failure(2, retryable: true))
        try check(stage)
        stage.settle(.localReport(.attempt(3), event: .news("l"), final: false))
        try check(stage)
        stage.wait(.seconds(4), alive: [.ann])
        #expect(stage.applied.last == "failed: the handler did not answer in time on worker \(Incarnation.ann)")
        try check(stage)
        stage.fails(AttemptID.attempt(0, 2).failure(retryable: true))
        stage.reports(AttemptID.attempt(0, of: 2).event(1, nil))
        try check(stage)
        #expect(journal.pending.map(\.effect.words) == ["local", "e"])
    }

    @Test func timeIsAskedForOnlyAhead() throws {
        var stage = Stage.recovered(.work(), .work(timeout: .seconds(2)))
        let old = AttemptID.attempt(0, epoch: 1)
        stage.play(.hello(epoch: 1, held: [old]), .unreachable(.ann), .hello(.bob))
        stage.play(.outside(1, key: "k"))
        for _ in 1...60 {
            let deadline = stage.machine.nextDeadline
            stage.now = try max(stage.now, #require(deadline))
            stage.play(.tick)
            let next = stage.machine.nextDeadline
            #expect(try #require(next) > stage.now)
        }
        #expect(stage.now > .seconds(10))
    }
}
