import MobiusEngine
import MobiusJournal
import MobiusWire
import Testing

/// The orderly stop: what was applied is committed, workers are told, nothing more is taken in.
@Suite struct CoordinatorStopTests {
    private let first = AttemptID.attempt()

    @Test func commitsAreAwaitedThenWorkersAreTold() {
        var stage = Stage.working(.work())
        stage.commits = false
        stage.play(.says(.events(creditTotal: 0, [first.event()])))
        #expect(stage.play(.stop) == [])
        #expect(
            stage.commit() == [.says(.ack([first.report(1)])), .says(.drain(.wait)), .stopped])
    }

    @Test func withoutAnythingInFlightItIsOverAtOnce() {
        var stage = Stage.begun()
        #expect(stage.play(.stop, .stop) == [.stopped])
        #expect(stage.machine.nextDeadline == nil)
    }

    @Test func whatComesWhileCommitsAreAwaitedIsNotTakenIn() {
        var stage = Stage.working(.work(timeout: .seconds(2)), .work())
        stage.commits = false
        stage.play(.outside(1, key: "k"), .stop)
        #expect(stage.play(.says(.events(creditTotal: 9, [first.event()])), .hello(.bob)) == [])
        #expect(stage.play(.outside(2, key: "l")) == [.stopping(RequestID(2))])
        // Time does not fail effects whose reports are no longer heard, nor workers that are not listened to.
        #expect(stage.wait(.seconds(20)) == [])
        #expect(stage.applied == ["hey"])
        #expect(stage.commit() == [.confirm(event: 1, 1), .says(.drain(.wait)), .stopped])
    }

    @Test func whatWasAskedForInTheLastEventsStaysPending() {
        var stage = Stage.begun()
        stage.update = ["ask": [.local("here"), .work("there")]]
        stage.play(.hello())
        stage.commits = false
        stage.play(.outside(1, key: "k", "ask"), .stop)
        #expect(stage.commit() == [.confirm(event: 1, 1), .says(.drain(.wait)), .stopped])
        #expect(stage.machine.snapshotState(of: .main)?.pending.map(\.effect.words) == ["here", "there"])
    }

    @Test func localHandlersAreNotHeardAnyMore() {
        var stage = Stage.begun(.local())
        stage.commits = false
        stage.play(.outside(1, key: "k"), .stop)
        #expect(stage.play(.localReport(first, event: .news("late"), final: true)) == [])
        stage.commit()
        #expect(stage.applied == ["hey"])
        #expect(stage.machine.snapshotState(of: .main)?.pending.count == 1)
    }

    @Test func afterTheEndEverythingIsIgnored() {
        var stage = ended()
        var other = ended()
        let inputs: [CoordinatorInput] = [
            .says(.events(creditTotal: 0, [first.event()])), .hello(.bob),
            .malformed(.init(.truncated, ""), from: .bob),
            .localReport(.attempt(1), event: nil, final: true), .connectionEnded, .unreachable(.ann), .tick, .flush,
            .stop,
        ]
        for input in inputs { #expect(stage.handle(input) == []) }
        // As one that heard nothing of it.
        #expect(stage.told == other.told)
        #expect(stage.handle(.outside(2, key: "l")) == [.stopping(RequestID(2))])
        #expect(other.handle(.outside(2, key: "l")) == [.stopping(RequestID(2))])
        #expect(stage.told == other.told)
    }

    /// A coordinator that has stopped, long ago.
    private func ended() -> Stage {
        var stage = Stage.working(.work(timeout: .seconds(2)), .local())
        stage.play(.stop)
        stage.now = .seconds(30)
        return stage
    }
}
