import MobiusEngine
import MobiusJournal
import MobiusWire
import Testing

/// Which effect goes to which worker next: pools, priorities, credit, limits, affinity.
@Suite struct DispatcherTests {
    /// A dispatcher with effects and workers, without sessions and journal.
    private struct Scene {
        var dispatcher: Dispatcher
        var roster: Roster
        var effects = Dispatcher.Effects()
        var now = Moment.start
        private var count: UInt64 = 0

        init() {
            let visits = VisitCount()
            dispatcher = Dispatcher(CoordinatorConfiguration(journal: .ours, epoch: 1), visits)
            roster = Roster(visits)
        }

        mutating func join(_ worker: Incarnation, _ pools: [String] = ["pool"], credit: UInt64) {
            let hello = Hello(
                number: 1, incarnation: worker, journal: .ours, pools: pools, build: "", contentTypes: [],
                creditTotal: credit)
            _ = roster.admit(hello, at: Peer(worker.low), now: now)
            dispatcher.join(worker, pools, &effects, roster)
        }

        mutating func leave(_ worker: Incarnation, _ pools: [String] = ["pool"]) {
            _ = roster.remove(worker)
            dispatcher.leave(worker, pools, &effects, roster)
        }

        /// Queues an effect, which is called by its number.
        mutating func ask(_ planned: PlannedEffect) {
            var state = EffectState(planned, phase: .queued, asked: WallTime(milliseconds: 0))
            state.order = dispatcher.takeOrder()
            let slot = effects.insert(state, for: EffectID(loop: .main, sequence: count, index: 0))
            count += 1
            dispatcher.append(slot, &effects, roster)
        }

        /// Starts what may start; returns the effects' numbers, and on whom.
        mutating func round() -> [String] {
            var started: [String] = []
            var round = dispatcher.beginRound(&roster, at: now)
            while let turn = round.next(&effects) {
                started.append("\(effects.key(of: turn.effect).sequence) on \(turn.worker.low)")
                effects[turn.effect].phase = .running(Attempt(epoch: 1, number: 1), turn.worker)
                dispatcher.count(effects[turn.effect].plan, atWorker: true)
                dispatcher.began(effects[turn.effect].plan, at: now)
                dispatcher.dispatched(turn, isStarted: true, in: &round, at: now)
            }
            dispatcher.endRound(round, at: now)
            return started
        }

        /// An effect has ended.
        mutating func end(_ number: UInt64) {
            guard let slot = effects.slot(of: EffectID(loop: .main, sequence: number, index: 0)) else { return }
            dispatcher.count(effects[slot].plan, atWorker: false)
            effects.remove(slot)
        }
    }

    @Test func `the oldest goes first, to the worker with the most credit, and no worker gets more than it allows`() {
        var scene = Scene()
        scene.join(.ann, credit: 1)
        scene.join(.bob, credit: 2)
        for _ in 0..<4 { scene.ask(.work()) }
        equals(scene.round(), ["0 on 2", "1 on 1", "2 on 2"])
    }

    @Test func `pools that share a worker compete by priority, then by age`() {
        var scene = Scene()
        scene.join(.ann, ["low", "high"], credit: 3)
        scene.ask(.work(pool: "low"))
        scene.ask(.work(pool: "high"))
        scene.ask(.work(pool: "low", EffectPolicy(priority: 1)))
        equals(scene.round(), ["2 on 1", "0 on 1", "1 on 1"])
    }

    @Test func `a pool is known while workers serve it or effects wait for it`() {
        var scene = Scene()
        scene.join(.ann, ["pool", "other"], credit: 1)
        scene.ask(.work())
        scene.leave(.ann, ["pool", "other"])
        #expect(scene.dispatcher.names == ["pool"])
        equals(scene.dispatcher.takeUnserved().map(\.pool), ["pool"])
        equals(scene.dispatcher.takeUnserved().isEmpty, true, "told twice")
        scene.join(.bob, credit: 1)
        equals(scene.round(), ["0 on 2"])
        scene.leave(.bob)
        #expect(scene.dispatcher.names.isEmpty)
    }

    @Test func `a limit holds back its own effects only, until one of them has ended`() {
        var scene = Scene()
        scene.join(.ann, credit: 9)
        let limited = EffectPolicy(limit: EffectLimit("two", concurrency: 2))
        for _ in 0..<3 { scene.ask(.work(limited)) }
        scene.ask(.work())
        equals(scene.round(), ["0 on 1", "1 on 1", "3 on 1"])
        scene.end(0)
        equals(scene.round(), ["2 on 1"])
    }

    @Test func `a rate says when it has room again`() {
        var scene = Scene()
        scene.join(.ann, credit: 9)
        let paced = EffectPolicy(limit: EffectLimit("paced", rate: .init(1, per: .seconds(10))))
        for _ in 0..<2 { scene.ask(.work(paced)) }
        equals(scene.round(), ["0 on 1"])
        #expect(scene.dispatcher.nextWake == .seconds(10))
        scene.now = .seconds(10)
        scene.dispatcher.wake(atMost: 9, at: scene.now)
        equals(scene.round(), ["1 on 1"])
    }

    @Test func `nothing is remembered of a key of which nothing runs or waits`() {
        var scene = Scene()
        scene.join(.ann, credit: 99)
        let perKey = EffectPolicy(limitPerKey: EffectLimit("one", concurrency: 1))
        for key in ["a", "b", "a"] { scene.ask(.work("work", perKey, key: key)) }
        equals(scene.round(), ["0 on 1", "1 on 1"])
        scene.end(0)
        equals(scene.round(), ["2 on 1"])
        for number: UInt64 in 1...2 { scene.end(number) }
        equals(scene.round().isEmpty, true)
        #expect(scene.dispatcher.keyCount == 0)
    }

    @Test func `when a worker leaves, only the keys that it owned move`() {
        var scene = Scene()
        for number in 1...3 { scene.join(.worker(number), credit: 0) }
        for number in 0..<60 { scene.ask(.work("work", EffectPolicy(), affinity: "key \(number)")) }
        func owners(_ scene: Scene) -> [Int: String] {
            var scene = scene
            for number in 1...3 { scene.roster.with(.worker(number)) { $0.creditTotal = 99 } }
            let started = scene.round().map { $0.split(separator: " ") }
            return Dictionary(uniqueKeysWithValues: started.map { (Int($0[0]) ?? -1, String($0[2])) })
        }
        let before = owners(scene)
        #expect(before.count == 60 && Set(before.values).count == 3)
        scene.leave(.worker(2))
        let after = owners(scene)
        #expect(after.count == 60 && !after.values.contains("2"))
        for (effect, owner) in before where owner != "2" { #expect(after[effect] == owner) }
    }
}
