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

    private static func hello(
        _ worker: Incarnation = .ann, credit: UInt64, shard: UInt32 = 1
    ) -> CoordinatorInput {
        let hello = Hello(
            incarnation: worker, pools: ["pool"], build: "b", contentTypes: [], creditTotal: credit, shard: shard)
        return .received(Envelope(epoch: 0, session: 0, message: .hello(hello)), from: Peer(worker.low))
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
        #expect(Self.said(stage.ask(.work("a"), .work("b"), by: "more")) == [.wanted(1)])
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

    @Test func `an effect for one worker only wants that worker's slot, while another worker has free ones`() {
        var stage = Self.shard(0)
        for worker in [Incarnation.ann, .bob] { stage.play(Self.hello(worker, credit: 1)) }
        let homes = stage.ask(.work("1", .plain(), affinity: "k"), by: "one").flatMap { action -> [Peer] in
            guard case .send(let peer, let envelope) = action, case .effects = envelope.message else { return [] }
            return [peer]
        }
        let told = stage.ask(.work("2", .plain(), affinity: "k"), by: "two").flatMap { action -> [Peer] in
            guard case .send(let peer, let envelope) = action, case .wanted(1) = envelope.message else { return [] }
            return [peer]
        }
        #expect(homes.count == 1 && told == homes)
    }

    @Test func `how many effects wait is said again when they double, and with each heartbeat, as one may be lost`() {
        var stage = Self.shard(2)
        #expect(Self.said(stage.play(Self.hello(credit: 0))) == [.wanted(2)])
        #expect(Self.said(stage.ask(.work("a"), by: "one")) == [])
        #expect(Self.said(stage.ask(.work("b"), by: "two")) == [.wanted(4)])
        #expect(Self.said(stage.play(.says(.heartbeat(creditTotal: 0, held: [])))) == [.wanted(4)])
        #expect(Self.said(stage.play(.says(.credit(total: 4)))) == [.wanted(0)])
        #expect(Self.said(stage.play(.says(.heartbeat(creditTotal: 4, held: [])))) == [.wanted(0)])
    }

    @Test func `a lost order gets the slot that comes with the list in which it is missing`() {
        for isListed in [true, false] {
            var stage = Self.shard(1)
            #expect(stage.play(Self.hello(credit: 1)).ordered == ["0"])
            stage.ask(.work("a"), by: "more")
            // In the next session it comes again, and there is no slot for it: its credit is back, and one slot is lent.
            #expect(stage.play(Self.hello(credit: 0)).ordered == ["0"])
            let list = WorkerMessage.heartbeat(
                creditTotal: 2, orders: OrderCount(sent: 1, received: 1), held: [])
            let said = isListed ? list : .credit(total: 2)
            #expect(stage.play(.says(said, session: 2)).ordered == [isListed ? "0" : "a"])
        }
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
