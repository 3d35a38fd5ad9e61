import MobiusEngine
import MobiusJournal
import MobiusWire
import Testing

/// Loops that leave memory when nobody uses them, and return.
@Suite struct CoordinatorIdleTests {
    private let shop = LoopID("shop")!

    /// A coordinator with the loops `main` and `shop`, whose loops are idle after a second.
    private func begun(_ effects: PlannedEffect...) -> Stage {
        var configuration = CoordinatorConfiguration(journal: .ours, epoch: 1)
        configuration.idleAfter = .seconds(1)
        var stage = Stage(configuration)
        stage.play(.begin(.main, effects: []), .begin(shop, effects: effects))
        return stage
    }

    private func event(_ request: UInt64, _ key: String) -> CoordinatorInput {
        .outside(RequestID(request), shop, key: key, event: .news("hey"))
    }

    private func status(_ stage: borrowing Stage) -> FleetStatus {
        var status = FleetStatus(
            program: "", build: "", journal: .ours, epoch: 1, started: WallTime(milliseconds: 0), maximumPayload: 0)
        stage.machine.fill(&status, at: stage.now)
        return status
    }

    @Test func aLoopLeavesOnceItIsStored() {
        var stage = begun()
        #expect(stage.wait(.milliseconds(500)) == [])
        #expect(stage.wait(.milliseconds(500)) == [.evict([shop])])
        let knows = stage.machine.knows(loop: shop)
        #expect(knows)
        #expect(stage.play(.parked([shop])) == [.unload(shop)])
        #expect(!stage.machine.knows(loop: shop) && stage.machine.mayBeIdle(shop))
        #expect(stage.machine.idleLoops == IdleTotals(loops: 1, events: 0))
        #expect(stage.wait(.seconds(5)) == [])  // `main` stays
        #expect(status(stage).loopCount == 2)
        #expect(status(stage).loops.map(\.loop) == [.main])
    }

    @Test func aLoopLeavesUnderLoadToo() {
        var stage = begun()
        var left: [CoordinatorAction] = []
        // Each tick finds a record that waits to be handed over.
        for number in 1...10 as ClosedRange<UInt64> {
            stage.now = stage.now + .milliseconds(200)
            left += stage.play(.outside(number, key: "\(number)"), .tick).filter { $0 == .evict([shop]) }
        }
        #expect(left == [.evict([shop])])
    }

    @Test func anEventMeanwhileKeepsIt() {
        var stage = begun()
        stage.wait(.seconds(1))
        #expect(stage.play(event(1, "k")) == [.confirm(event: 1, 1)])
        #expect(stage.play(.parked([shop])) == [])
        let knows = stage.machine.knows(loop: shop)
        #expect(knows)
        #expect(stage.wait(.seconds(1)) == [.evict([shop])])
    }

    @Test func aReaderMeanwhileKeepsItAndSoDoesTheHost() {
        var stage = begun()
        stage.wait(.seconds(1))
        stage.play(.use(shop))
        #expect(stage.play(.parked([shop])) == [])
        #expect(stage.wait(.seconds(1)) == [.evict([shop])])
        #expect(stage.play(.stay([shop])) == [])
        #expect(stage.wait(.milliseconds(500)) == [])
        #expect(stage.wait(.milliseconds(500)) == [.evict([shop])])
    }

    @Test func oneThatBeginsAgainMeanwhileLeavesOnce() {
        var stage = begun()
        stage.update["end"] = [.end(mayBeginAgain: true)]
        stage.wait(.seconds(1))
        stage.play(.outside(RequestID(1), shop, key: "k", event: .news("end")))
        stage.play(.lookedUp(RequestID(2), shop, key: "again", event: .news("again"), isApplied: false))
        #expect(stage.applied == ["end", "again"])
        // This is about the life before.
        #expect(stage.play(.parked([shop])) == [])
        #expect(stage.wait(.seconds(1)) == [.evict([shop])])
        #expect(stage.play(.parked([shop])) == [.unload(shop)])
        #expect(stage.wait(.seconds(5)) == [])
    }

    @Test func anEffectKeepsItUntilItsEndIsOnDisk() {
        var stage = begun(.local())
        #expect(stage.wait(.seconds(5)) == [])
        let attempt = AttemptID(
            effect: EffectID(loop: shop, sequence: 0, index: 0), attempt: Attempt(epoch: 1, number: 1))
        stage.play(.localReport(attempt, event: nil, final: true))
        #expect(stage.wait(.seconds(2)) == [.evict([shop])])
    }

    @Test func anEventForALoopThatLeftWaitsUntilItIsBack() {
        var stage = begun()
        stage.play(event(1, "k"))
        stage.wait(.seconds(1))
        stage.play(.parked([shop]))
        #expect(stage.machine.idleLoops == IdleTotals(loops: 1, events: 1))
        #expect(
            stage.play(event(2, "k")) == [.await(RequestID(2), shop, key: "k", event: .news("hey"))])
        let resumed = ResumedLoop(loop: shop, lastSequence: 1, pending: [], outsideKeys: ["k"])
        #expect(stage.play(.recover(resumed), .returned(shop, sequence: 1)) == [.takeWaiting(shop)])
        #expect(stage.machine.idleLoops == IdleTotals())
        #expect(stage.play(event(2, "k")) == [.again(2, key: "k", shop)])
        #expect(stage.play(event(3, "l")) == [.confirm(event: 2, 3)])
        #expect(stage.applied == ["hey", "hey"])
        #expect(stage.records.last.map(\.loop) == shop)
    }

    @Test func aNameThatTheJournalDoesNotKnowIsRefusedAfterItWasRead() {
        var stage = Stage(CoordinatorConfiguration(journal: .ours, epoch: 2))
        stage.play(.idleLoops(IdleTotals(loops: 1, events: 7)))
        #expect(status(stage).events == 7)
        #expect(stage.play(event(1, "k")) == [.await(RequestID(1), shop, key: "k", event: .news("hey"))])
        #expect(stage.play(.returned(shop, sequence: nil)) == [.takeWaiting(shop)])
        #expect(stage.play(.drop(RequestID(2), EffectID(loop: shop, sequence: 0, index: 0))) == [.busy(RequestID(2))])
    }

    @Test func loopsLeaveInGroupsOneAtATime() {
        var stage = begun()
        let loops = (0..<600).compactMap { LoopID("loop \(1000 + $0)") }
        for loop in loops { stage.play(.begin(loop, effects: [])) }
        var left: [LoopID] = []
        var groups = 0
        var actions = stage.wait(.seconds(1))
        while case .evict(let group)? = actions.first, groups < 10 {
            groups += 1
            #expect(actions.count == 1 && group.count <= 256)
            #expect(stage.play(.tick) == [])
            left += group
            actions = stage.play(.parked(group)).filter { if case .evict = $0 { true } else { false } }
        }
        #expect(groups == 3 && left.count == 601)
        #expect(stage.machine.nextDeadline.map { $0 > stage.now } == true)
    }

    @Test func aListHasLoopsInMemoryAndOnDisk() {
        var stage = begun()
        let names = ["a", "m", "shop", "z"].compactMap { LoopID($0) }
        let stored = names.map { StoredLoop(loop: $0, idle: IdleLoop(loop: $0, sequence: 5)) }
        stage.play(event(1, "k"))
        let all = stage.machine.page(prefix: "", state: nil, after: nil, limit: 9, stored: (stored, true)) { _ in nil }
        #expect(all.loops.map(\.loop.name) == ["a", "m", "main", "shop", "z"])
        #expect(all.loops.map(\.sequence) == [5, 5, 0, 1, 5])
        #expect(all.next == nil)
        let page = stage.machine.page(
            prefix: "", state: nil, after: nil, limit: 2, stored: (Array(stored.prefix(2)), false)
        ) { _ in nil }
        #expect(page.loops.map(\.loop.name) == ["a", "m"] && page.next == names[1])
        let rest = stage.machine.page(
            prefix: "", state: .idle, after: names[1], limit: 2, stored: (Array(stored.suffix(2)), false)
        ) { _ in nil }
        #expect(rest.loops.map(\.loop.name) == ["main", "shop"] && rest.next == names[2])
    }
}
