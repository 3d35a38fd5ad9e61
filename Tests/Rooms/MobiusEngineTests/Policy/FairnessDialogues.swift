import MobiusEngine
import MobiusJournal
import MobiusWire
import Testing

/// How the effects of one pool are shared out between keys.
@Suite struct FairnessDialogues {
    private func works(_ key: String?, _ count: Int, _ policy: EffectPolicy = .plain()) -> [PlannedEffect] {
        (1...count).map { .work("\(key ?? "none")\($0)", policy, key: key) }
    }

    /// What a worker is sent, one after the other.
    private func served(_ count: Int, in stage: inout Stage, from credit: UInt64 = 0) -> [String] {
        (1...UInt64(count)).flatMap { stage.play(.says(.credit(total: credit + $0))).ordered }
    }

    @Test func aKeyWithManyEffectsDelaysAnotherOneByOne() {
        var stage = Stage.begun(works("a", 1000) + works("b", 1))
        stage.play(.hello(credit: 0))
        #expect(served(4, in: &stage) == ["a1", "b1", "a2", "a3"])
        stage.ask(.work("c1", .plain(), key: "c"), .work("c2", .plain(), key: "c"), by: "c")
        #expect(served(4, in: &stage, from: 4) == ["c1", "a4", "c2", "a5"])
        #expect(stage.machine.audit() == [])
    }

    @Test func keysTakeTurnsHoweverManyTheirEffectsAre() {
        var stage = Stage.begun(works("a", 50) + works("b", 30) + works("c", 10))
        stage.play(.hello(credit: 0))
        let order = served(30, in: &stage)
        for key in ["a", "b", "c"] { #expect(order.count { $0.hasPrefix(key) } == 10) }
        for turn in 0..<10 { #expect(Set(order[turn * 3..<turn * 3 + 3].map { $0.prefix(1) }) == ["a", "b", "c"]) }
    }

    @Test func oneEffectAtATimeIsNotAlwaysFirst() {
        var stage = Stage.begun(works("a", 20))
        stage.play(.hello(credit: 0))
        var order: [String] = []
        for number in 1...10 {
            if order.last?.hasPrefix("a") != true { stage.ask(.work("b", .plain(), key: "b"), by: "\(number)") }
            order += served(1, in: &stage, from: UInt64(order.count))
        }
        #expect(order.count { $0.hasPrefix("a") } == 5)
    }

    @Test func effectsWithoutAKeyCountAsThoseOfOneKey() {
        var stage = Stage.begun(works(nil, 10) + works("a", 3) + works("b", 3))
        stage.play(.hello(credit: 0))
        #expect(
            served(10, in: &stage)
                == ["none1", "a1", "b1", "none2", "a2", "b2", "none3", "a3", "b3", "none4"])
    }

    @Test func priorityCountsBeforeFairness() {
        var stage = Stage.begun(works("a", 2) + works("b", 2, .plain(priority: 1)) + works("c", 1))
        stage.play(.hello(credit: 0))
        #expect(served(5, in: &stage) == ["b1", "b2", "a1", "c1", "a2"])
    }

    @Test func theRestOfAPoolWithoutKeysIsAsBefore() {
        var stage = Stage.begun(works("a", 1) + works(nil, 3))
        stage.play(.hello(credit: 0))
        #expect(served(4, in: &stage) == ["a1", "none1", "none2", "none3"])
        #expect(stage.machine.keyCount == 0)
    }

    @Test func aKeyDoesNotMakeUpForTurnsThatALimitBlocked() {
        let five = EffectLimit("five", rate: .init(5, per: .seconds(5)))
        var stage = Stage.begun(works("a", 20, .plain(limit: five)) + works("b", 40))
        stage.play(.hello(credit: 0))
        #expect(served(30, in: &stage).count { $0.hasPrefix("a") } == 5)
        stage.wait(.seconds(6), alive: [.ann])
        // Five more of a may begin, which missed twenty turns.
        stage.ask(.work("c1", .plain(), key: "c"), by: "c")
        #expect(served(4, in: &stage, from: 30) == ["a6", "c1", "a7", "b26"])
    }

    @Test func aKeyDoesNotMakeUpForTurnsThatItsOwnLimitBlocked() {
        let five = EffectLimit("five", rate: .init(5, per: .seconds(5)))
        var stage = Stage.begun(works("a", 20, .plain(perKey: five)) + works("b", 40))
        stage.play(.hello(credit: 0))
        #expect(served(30, in: &stage).count { $0.hasPrefix("a") } == 5)
        stage.wait(.seconds(6), alive: [.ann])
        stage.ask(.work("c1", .plain(), key: "c"), by: "c")
        #expect(served(4, in: &stage, from: 30) == ["a6", "c1", "a7", "b26"])
    }

    /// A worker serves both pools; the pool with keys has the older effects.
    @Test func poolsThatShareAWorkerGoOnByAge() {
        let old = (1...3).map { PlannedEffect.work("a\($0)", pool: "keyed", .plain(), key: "a") }
        let other = (1...3).map { PlannedEffect.work("p\($0)", pool: "plain", .plain()) }
        var stage = Stage.begun(old + other + [.work("b1", pool: "keyed", .plain(), key: "b")])
        stage.play(.hello(pools: ["keyed", "plain"], credit: 0))
        // The young effect of b takes a turn of the older a, and none of the other pool.
        #expect(served(7, in: &stage) == ["a1", "b1", "a2", "p1", "p2", "p3", "a3"])
    }

    @Test func whatIsPutBackIsFirstOfItsKey() {
        var stage = Stage.begun(works("a", 4) + works("b", 2))
        #expect(stage.play(.hello(credit: 3)).ordered == ["a1", "b1", "a2"])
        stage.play(.says(.bye))
        #expect(stage.play(.hello(.bob, credit: 6)).ordered.filter { $0.hasPrefix("a") } == ["a1", "a2", "a3", "a4"])
        #expect(stage.machine.audit() == [])
    }

    @Test func cancelledEffectsUseNoTurns() {
        var stage = Stage.begun(works("a", 6) + works("b", 3))
        for index in 0..<3 { stage.play(.cancel(.effect(UInt32(index)))) }
        stage.play(.hello(credit: 0))
        #expect(served(6, in: &stage) == ["a4", "b1", "a5", "b2", "a6", "b3"])
        #expect(stage.machine.queued(in: "pool") == 0)
        #expect(stage.machine.audit() == [])
    }

    @Test func affinityAndKeysTogether() {
        let effects = (1...6).map { PlannedEffect.work("a\($0)", .plain(), affinity: "\($0)", key: "a") }
        var stage = Stage.begun(effects + [.work("b1", .plain(), key: "b")])
        #expect(stage.play(.hello(credit: 2)).ordered == ["a1", "b1"])
        stage.play(.hello(.bob, credit: 0))
        stage.wait(.seconds(11), alive: [.bob], session: 2)  // Ann is lost: all keys move to Bob
        #expect(Set(stage.play(.says(.credit(total: 9), from: .bob, session: 2)).ordered).isSuperset(of: ["a6", "b1"]))
        #expect(stage.machine.audit() == [])
    }

    @Test func theyAreSharedOutAfterARestart() throws {
        var stage = Stage.begun(works("a", 500) + works("b", 1))
        try stage.restart()
        stage.wait(.seconds(3))
        stage.play(.hello(credit: 0, epoch: 1))
        let order = (1...3).flatMap { total -> [String] in
            stage.play(.says(.credit(total: UInt64(total)), session: 1, epoch: 2)).ordered
        }
        #expect(order == ["a1", "b1", "a2"])
    }

    /// Keys come from events: as many as anybody sends.
    @Test func manyKeysLeaveNothingBehind() {
        let rare = EffectLimit("rare", concurrency: 1, rate: .init(1, per: .seconds(1)))
        var stage = Stage.begun([])
        stage.play(.hello(credit: 0))
        var sent = 0
        for round in 0..<20 {
            stage.update["\(round)"] = (0..<500).map {
                .work("\($0)", .plain(perKey: rare), key: "tenant \(round) \($0)")
            }
            stage.play(.outside(1, key: "\(round)", "\(round)"))
            #expect(stage.machine.keyCount == 500)
            sent += 500
            let orders = stage.play(.says(.credit(total: UInt64(sent)))).orders
            #expect(orders.count == 500)
            stage.play(.says(.events(creditTotal: UInt64(sent), orders.map { $0.id.event() })))
            stage.wait(.seconds(1), alive: [.ann])
            #expect(stage.machine.keyCount == 0)
            #expect(stage.machine.deadlineCount < 2000)
        }
        #expect(stage.machine.audit() == [])
    }
}
