import MobiusEngine
import MobiusJournal
import MobiusWire
import Testing

/// Handlers that must show that they get on.
@Suite struct ProgressDialogues {
    private let first = AttemptID.attempt()
    private var silent: String { silent(on: .ann) }

    private func silent(on worker: Incarnation) -> String {
        "failed: the handler reported no progress in time on worker \(worker)"
    }

    private func working() -> Stage {
        var stage = Stage.begun(.work(.plain(progress: .seconds(5))))
        stage.play(.hello())
        return stage
    }

    /// Each second a list of what the worker holds, with the age of the last progress.
    private func lists(_ seconds: ClosedRange<Int>, in stage: inout Stage, age: (Int) -> UInt32) {
        for second in seconds {
            stage.now = .seconds(Double(second))
            let held = [HeldAttempt(id: first, progressAge: age(second))]
            stage.play(.says(.heartbeat(creditTotal: 0, held: held)), .tick)
        }
    }

    @Test func progressKeepsItAlive() {
        var stage = working()
        lists(1...60, in: &stage) { _ in 2000 }
        #expect(stage.applied == [])
        lists(61...66, in: &stage) { UInt32(($0 - 58) * 1000) }
        #expect(stage.applied == [silent])
    }

    @Test func silenceEndsIt() {
        var stage = working()
        lists(1...4, in: &stage) { _ in HeldAttempt.noProgress }
        #expect(stage.applied == [])
        lists(5...6, in: &stage) { _ in HeldAttempt.noProgress }
        #expect(stage.applied == [silent])
    }

    @Test func anEventIsProgress() {
        var stage = working()
        for number in 1...10 as ClosedRange<UInt32> {
            stage.now = .seconds(Double(number) * 4)
            stage.play(.says(.events(creditTotal: 0, [first.event(number, "half", final: false)])))
            let held = [HeldAttempt(id: first, progressAge: HeldAttempt.noProgress)]
            stage.play(.says(.heartbeat(creditTotal: 0, held: held)), .tick)
        }
        #expect(stage.applied.count == 10)
    }

    @Test func aSilentWorkerIsAnotherMatter() {
        var stage = working()
        stage.wait(.milliseconds(9900))
        #expect(stage.applied == [])
        // Its list is late; what it says counts.
        stage.play(.says(.heartbeat(creditTotal: 0, held: [HeldAttempt(id: first, progressAge: 4000)])), .tick)
        stage.wait(.milliseconds(500))
        #expect(stage.applied == [])
    }

    @Test func whatAnotherWorkerSaysOfAnOldAttemptIsNoProgress() {
        var stage = working()
        stage.play(.says(.draining(held: [])))
        stage.play(.hello(.bob))
        for second in 1...7 {
            stage.now = .seconds(Double(second))
            stage.play(.says(.heartbeat(creditTotal: 0, held: [HeldAttempt(id: first, progressAge: 0)])))
            let held = [HeldAttempt(id: .attempt(0, 2), progressAge: HeldAttempt.noProgress)]
            stage.play(.says(.heartbeat(creditTotal: 0, held: held), from: .bob, session: 2), .tick)
        }
        #expect(stage.applied == [silent(on: .bob)])
    }

    @Test func anOrderThatIsSentAgainBeginsAnew() {
        var stage = working()
        stage.now = .seconds(4)
        #expect(stage.play(.holds(of: 1)).ordered() == [first])
        lists(5...8, in: &stage) { _ in HeldAttempt.noProgress }
        #expect(stage.applied == [])
        lists(9...10, in: &stage) { _ in HeldAttempt.noProgress }
        #expect(stage.applied == [silent])
    }
}
