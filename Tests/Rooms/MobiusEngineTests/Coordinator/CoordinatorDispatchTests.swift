import MobiusEngine
import MobiusJournal
import MobiusWire
import Testing

/// From a committed effect to a worker: order, credit, batches, sharing.
@Suite struct CoordinatorDispatchTests {
    @Test func nothingLeavesBeforeTheCommit() {
        var stage = Stage()
        #expect(stage.handle(.begin(.main, effects: [.work("a")])) == [])
        #expect(stage.handle(.hello()) == [.welcome(), .joined()])
        let start = JournalRecord.event(
            EventRecord(loop: .main, sequence: 0, source: .start, event: nil, effects: [.work("a")], ends: nil))
        #expect(stage.handle(.flush) == [.append(1, start)])
        #expect(stage.handle(.flush) == [])
        #expect(stage.handle(.committed(Ticket(1))) == [])
        #expect(stage.handle(.flush) == [.says(.effects(after: 0, [AttemptID.attempt().order("a")]))])
    }

    @Test func manyEffectsAreOneMessage() {
        var stage = Stage.begun((0..<5).map { .work("\($0)", timeout: .milliseconds(1500)) })
        let orders = (0..<5).map { AttemptID.attempt($0).order("\($0)", timeout: 1500) }
        #expect(stage.play(.hello(credit: 9)) == [.welcome(), .joined(), .says(.effects(after: 0, orders))])
    }

    @Test func messagesAreCutByBytes() {
        let words = String(repeating: "x", count: 1000)
        var stage = Stage.begun((0..<5).map { _ in .work(words) }, batchBytes: 2200)
        let sizes = stage.play(.hello(credit: 9)).compactMap { action -> Int? in
            guard case .send(_, let envelope) = action, case .effects(_, let orders) = envelope.message else {
                return nil
            }
            return orders.count
        }
        #expect(sizes == [2, 2, 1])
    }

    @Test func creditIsNeverExceeded() {
        var stage = Stage.begun((0..<9).map { .work("\($0)") })
        #expect(stage.play(.hello(credit: 0)).orders.count == 0)
        #expect(stage.play(.says(.credit(total: 2))).orders.map(\.effect.words) == ["0", "1"])
        #expect(stage.play(.says(.credit(total: 2))).orders.count == 0)
        // A total stands for itself: an older one that comes late takes nothing away.
        #expect(
            stage.play(.says(.credit(total: 4)), .says(.credit(total: 3))).orders.map(\.effect.words) == ["2", "3"])
        #expect(stage.play(.says(.credit(total: 3))).orders.count == 0)
        #expect(stage.play(.says(.heartbeat(creditTotal: 5, held: []))).orders.map(\.effect.words) == ["4"])
    }

    @Test func reportsFreeCredit() {
        var stage = Stage.begun((0..<4).map { .work("\($0)") })
        stage.play(.hello(credit: 1))
        #expect(
            stage.play(.says(.events(creditTotal: 2, [AttemptID.attempt(0).event()]))) == [
                .says(.effects(after: 1, [AttemptID.attempt(1).order("1")])),
                .says(.ack([AttemptID.attempt(0).report(1)])),
            ])
        let failure = AttemptID.attempt(1).failure(retryable: false)
        #expect(
            stage.play(.says(.failures(creditTotal: 3, [failure]))) == [
                .says(.effects(after: 2, [AttemptID.attempt(2).order("2")])), .says(.ack([failure.id])),
            ])
    }

    @Test func creditBeginsAnewWithEachSession() {
        var stage = Stage.begun((0..<9).map { .work("\($0)") })
        stage.play(.hello(credit: 3))
        let held = (0..<3).map { AttemptID.attempt(UInt32($0)) }
        // It holds three and says how many more it can take: none, then one.
        #expect(stage.play(.hello(credit: 0, epoch: 1, held: held)).orders.count == 0)
        #expect(stage.play(.says(.credit(total: 1), session: 2)).orders.map(\.effect.words) == ["3"])
    }

    @Test func theFreestWorkerIsServedFirst() {
        var stage = Stage.begun((0..<6).map { .work("\($0)") })
        stage.commits = false
        _ = stage.handle(.hello(.ann, credit: 2))
        _ = stage.handle(.hello(.bob, credit: 4))
        let actions = stage.handle(.flush)
        #expect(actions.orders(to: .ann) == 2)
        #expect(actions.orders(to: .bob) == 4)
        #expect(actions.orders.filter { ["0", "1"].contains($0.effect.words) }.count == 2)
        #expect(
            actions.contains { action in
                guard case .send(.bob, let envelope) = action, case .effects(_, let orders) = envelope.message
                else { return false }
                return orders.prefix(2).map(\.effect.words) == ["0", "1"]
            })
    }

    @Test func tenWorkersShareEvenly() {
        var stage = Stage.begun((0..<20).map { .work("\($0)") })
        for number in 1...10 { _ = stage.handle(.hello(.worker(number), credit: 8)) }
        let actions = stage.handle(.flush)
        for number in 1...10 { #expect(actions.orders(to: Peer(UInt64(number))) == 2) }
    }

    @Test func aSlowPoolDelaysNoOther() {
        var stage = Stage.begun((0..<3).map { .work("slow \($0)", pool: "slow") } + [.work("quick", pool: "quick")])
        stage.play(.hello(.ann, pools: ["slow"], credit: 1))
        #expect(stage.play(.hello(.bob, pools: ["quick"])).orders.map(\.effect.words) == ["quick"])
    }

    @Test func anEffectThatIsTooLargeFails() {
        var stage = Stage(maximumPayload: 10)
        stage.play(.hello(), .begin(.main, effects: [.work("12345678901"), .work("1234567890")]))
        #expect(stage.applied == ["failed: " + PayloadLimit.reason("the effect", bytes: 11, of: 10)])
        #expect(stage.machine.snapshotState(of: .main)?.pending.map(\.effect.words) == ["1234567890"])
    }

    @Test func deadlinesOfEndedAttemptsDoNotPileUp() {
        var stage = Stage.begun(.work(timeout: .seconds(3600)))
        stage.update = ["next": [.work(timeout: .seconds(3600))]]
        stage.play(.hello(credit: 1))
        for number in 1...3000 as ClosedRange<UInt64> {
            let id = AttemptID.attempt(0, of: number - 1)
            stage.play(.says(.events(creditTotal: 1 + number, [id.event(1, "next")])))
        }
        #expect(stage.applied.count == 3000)
        #expect(stage.machine.deadlineCount < 2000)
        // The one that matters is still there.
        stage.now = .seconds(3600)
        stage.play(.says(.credit(total: 1)), .tick)
        stage.now = .seconds(3601)
        stage.play(.tick)
        #expect(stage.applied.last == "failed: the handler did not answer in time on worker \(Incarnation.ann)")
    }
}
