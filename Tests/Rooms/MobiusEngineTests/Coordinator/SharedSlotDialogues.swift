import MobiusEngine
import MobiusWire
import Testing

/// A coordinator of one of several shards: which shard a worker wants, and the slots that it shares with others.
@Suite struct SharedSlotDialogues {
    /// Shard 1 of 3 with these effects in its loop.
    private static func shard(_ effects: Int) -> Stage {
        var configuration = CoordinatorConfiguration(journal: .ours, epoch: 1)
        (configuration.shard, configuration.shards) = (1, 3)
        var stage = Stage(configuration)
        stage.play(.begin(.main, effects: (0..<effects).map { .work("\($0)") }))
        return stage
    }

    private static func hello(credit: UInt64, shard: UInt32 = 1) -> CoordinatorInput {
        let hello = Hello(
            incarnation: .ann, pools: ["pool"], build: "b", contentTypes: [], creditTotal: credit, shard: shard)
        return .received(Envelope(epoch: 0, session: 0, message: .hello(hello)), from: .ann)
    }

    /// What was said of slots.
    private static func said(_ actions: [CoordinatorAction]) -> [CoordinatorMessage] {
        actions.compactMap { action in
            guard case .send(_, let envelope) = action else { return nil }
            switch envelope.message {
            case .wanted, .reclaimed, .moved: return envelope.message
            default: return nil
            }
        }
    }

    @Test func `a HELLO for another shard is sent on, with the number of shards`() {
        var stage = Self.shard(1)
        #expect(Self.said(stage.play(Self.hello(credit: 1, shard: 0))) == [.moved(Moved(endpoint: nil, shards: 3))])
        #expect(stage.machine.workerCount == 0)
        stage.play(Self.hello(credit: 1))
        #expect(stage.machine.workerCount == 1)
    }

    @Test func `a worker hears once that effects wait for its slots, and once that none does any more`() {
        var stage = Self.shard(4)
        #expect(Self.said(stage.play(Self.hello(credit: 1))) == [.wanted(3)])
        #expect(Self.said(stage.play(.says(.credit(total: 2)))) == [])
        #expect(Self.said(stage.play(.says(.credit(total: 4)))) == [.wanted(0)])
        #expect(Self.said(stage.play(.says(.credit(total: 5)))) == [])
        stage.ask(.work("a"), .work("b"), by: "more")
        #expect(Self.said(stage.play(.says(.heartbeat(creditTotal: 5, held: [])))) == [])
    }

    @Test func `one coordinator alone says nothing of slots`() {
        var stage = Stage.begun((0..<4).map { .work("\($0)") })
        #expect(Self.said(stage.play(.hello(credit: 1))) == [])
    }

    @Test func `effects that wait for a limit want no slots`() {
        var stage = Self.shard(0)
        let limit = EffectLimit("one", concurrency: 1)
        stage.ask(.work("a", .plain(limit: limit)), .work("b", .plain(limit: limit)), by: "more")
        #expect(Self.said(stage.play(Self.hello(credit: 0))) == [.wanted(2)])
        #expect(Self.said(stage.play(.says(.credit(total: 1)))) == [.wanted(0)])
    }

    @Test func `slots that are not used are given back, once for each request`() {
        var stage = Self.shard(1)
        stage.play(Self.hello(credit: 5))
        #expect(Self.said(stage.play(.says(.reclaim(number: 1, credits: 3)))) == [.reclaimed(number: 1, total: 3)])
        #expect(Self.said(stage.play(.says(.reclaim(number: 1, credits: 3)))) == [.reclaimed(number: 1, total: 3)])
        #expect(Self.said(stage.play(.says(.reclaim(number: 2, credits: 9)))) == [.reclaimed(number: 2, total: 4)])
        stage.ask(.work("a"), by: "more")
        #expect(stage.play(.tick).orders.count == 0, "its one slot is used, the others are gone")
        #expect(stage.play(.says(.credit(total: 6))).orders.count == 1)
    }

    @Test func `no number that a worker says gives it more, or traps`() {
        var stage = Self.shard(2)
        stage.play(Self.hello(credit: .max))
        for number in [1, 2, UInt32.max, 3] {
            stage.play(.says(.reclaim(number: number, credits: .max)))
            stage.play(.says(.credit(total: .max)))
        }
        stage.ask(.work("a"), by: "more")
        #expect(stage.machine.audit() == [])
    }
}
