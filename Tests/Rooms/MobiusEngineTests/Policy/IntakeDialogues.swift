import MobiusEngine
import MobiusJournal
import MobiusWire
import Testing

/// Events from outside: how many may wait, and what the journal knows of their keys.
@Suite struct IntakeDialogues {
    private func stage(intake: Int = 2, backlog: Int = 100, keys: Int = 100) -> Stage {
        var stage = Stage(
            CoordinatorConfiguration(
                journal: .ours, epoch: 1, rememberedKeys: keys, maximumIntake: intake, maximumBacklog: backlog))
        stage.play(.begin(.main, effects: []))
        return stage
    }

    @Test func pastTheLimitTheyAreBusyUntilCommitsMakeRoom() {
        var stage = stage()
        stage.commits = false
        stage.play(.outside(1, key: "1"), .outside(2, key: "2"))
        #expect(stage.play(.outside(3, key: "3")) == [.busy(RequestID(3))])
        // A repetition needs no room.
        #expect(stage.play(.outside(4, key: "1")) == [])
        #expect(stage.commit().count == 3)
        #expect(stage.play(.outside(3, key: "3")) == [.confirm(event: 3, 3)])
        #expect(stage.machine.audit() == [])
    }

    @Test func aBacklogIsBusy() {
        var stage = stage(backlog: 2)
        stage.ask(.work("1", .plain()), .work("2", .plain()), by: "x")
        // A loop that exists has room for one more, however little there is.
        stage.ask(.work("3", .plain()), by: "z")
        #expect(stage.play(.outside(2, key: "y")) == [.busy(RequestID(2))])
        stage.play(.cancel(.effect(0, of: 1)))
        #expect(stage.play(.outside(2, key: "y")).confirmed == [RequestID(2)])
    }

    @Test func whatWaitsKeepsOutNoEventThatEndsIt() throws {
        var stage = stage(backlog: 8)
        let other = try #require(LoopID("other"))
        stage.play(.wallClock(WallTime(milliseconds: 0)), .begin(other, effects: []), .hold(other))
        let timers = (0..<20).map { PlannedEffect.timer(.after(.seconds(3600)), "\($0)") }
        stage.ask(timers + [.event("e", for: other)], by: "x")
        #expect(stage.play(.outside(2, key: "y")).confirmed == [RequestID(2)])
        var takesNew = stage.machine.takesEvents
        #expect(takesNew)
        // Four times the room is theirs.
        stage.ask((0..<20).map { .timer(.after(.seconds(3600)), "more \($0)") }, by: "z")
        takesNew = stage.machine.takesEvents
        #expect(!takesNew)
        #expect(stage.machine.audit() == [])
    }

    @Test func loopsThatExistHaveRoomWhenNewOnesHaveNone() {
        var stage = stage(backlog: 4)
        stage.ask([.work("1", .plain()), .work("2", .plain()), .work("3", .plain()), .work("4", .plain())], by: "x")
        let takesNew = stage.machine.takesEvents
        #expect(!takesNew)
        #expect(stage.play(.outside(2, key: "y")).confirmed == [RequestID(2)])
        stage.ask([.work("5", .plain())], by: "z")
        #expect(stage.play(.outside(4, key: "w")) == [.busy(RequestID(4))])
    }

    @Test func whatWaitsForAHeldLoopIsBounded() throws {
        var stage = stage(backlog: 300)
        let other = try #require(LoopID("other"))
        stage.play(.begin(other, effects: []), .hold(other))
        stage.ask((0..<5).map { .event("\($0)", for: other) }, by: "x")
        #expect(stage.applied.dropFirst().allSatisfy { $0.contains("is held, and 3 events wait for it already") })
        #expect(stage.applied.count == 3)
        #expect(stage.machine.audit() == [])
    }

    @Test func whatWaitedBeforeALoopWasHeldGoesOnWaiting() throws {
        // There is room for one event for a held loop.
        var stage = stage(backlog: 100)
        let other = try #require(LoopID("other"))
        stage.play(.begin(other, effects: []), .hold(other))
        stage.ask([.event("new", for: other)], by: "x")
        let own = PlannedEffect.event("own", for: other)
        let pending = PendingEffect(id: EffectID(loop: other, sequence: 0, index: 0), effect: own.effect)
        stage.play(.recover(ResumedLoop(loop: other, lastSequence: 0, pending: [(pending, own.plan)])), .tick)
        #expect(stage.applied.allSatisfy { !$0.contains("is held") }, "\(stage.applied)")
        #expect(stage.applied.suffix(2).sorted() == ["new", "own"])
        #expect(stage.machine.audit() == [])
    }

    @Test func whatTheMachineForgotTheJournalKnows() {
        var stage = stage(intake: 1, keys: 1)
        stage.play(.outside(1, key: "1"))
        stage.play(.outside(2, key: "2"))
        let words = Payload.news("hey")
        let lookUp = stage.play(.outside(3, key: "3"))
        #expect(lookUp == [.lookUp(RequestID(3), .main, key: "3", event: words)])
        let new = stage.play(.lookedUp(RequestID(3), .main, key: "3", event: words, isApplied: false))
        #expect(new == [.confirm(event: 3, 3)])
        // Two at once: the second finds the first applied.
        let twice = stage.play(.lookedUp(RequestID(4), .main, key: "3", event: words, isApplied: false))
        #expect(twice == [.again(4, key: "3")])
        let old = stage.play(.lookedUp(RequestID(5), .main, key: "1", event: words, isApplied: true))
        #expect(old == [.again(5, key: "1")])
        #expect(stage.applied.count == 3)
    }

    @Test func whatCannotBeReadTakesNoRoom() {
        var stage = stage(intake: 1)
        for request in 1...3 as ClosedRange<UInt64> {
            guard case .refuse? = stage.play(.outside(request, key: "x", "unreadable")).first else {
                return #expect(Bool(false))
            }
        }
        #expect(stage.play(.outside(9, key: "x")) == [.confirm(event: 1, 9)])
    }
}
