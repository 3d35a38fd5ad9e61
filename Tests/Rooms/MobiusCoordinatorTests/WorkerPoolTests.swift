import FleetTestSupport
import Foundation
import MobiusCoordinator
import MobiusCore
import TestTraits
import Testing

/// Plain loops whose effects run in workers, over real sockets.
@Suite(.patient)
struct WorkerPoolTests {
    @Test func aLoopSendsItsEffectsToAWorkerAndGetsTheAnswers() async throws {
        let fleet = try PoolFleet()
        let worker = DrillWorker(fleet.pool.endpoint)
        let loop = fleet.loop()
        let answers = Journey<[String]>()
        loop.addObserver { answers.add($0.answers) }
        loop.dispatchEvent(.ask(.event("a")))
        try await answers.wait { $0.last == ["event a"] }
        loop.dispatchEvent(.ask(.suspending("b")))
        try await answers.wait { $0.last == ["event a", "async b"] }
        // A local route of the same router, told by `update` of each answer.
        try await fleet.told.wait { $0 == ["1 event a", "2 async b"] }
        #expect(worker.ran.elements == ["a"])
        loop.dispose()
        await fleet.close()
    }

    @Test func aControllerDoesToo() async throws {
        let fleet = try PoolFleet()
        let worker = DrillWorker(fleet.pool.endpoint)
        let controller = Mobius.loop(Drill.self, effectHandler: fleet.pool)
            .makeController(
                from: Drill.Model(), loopQueue: DispatchQueue(label: "loop"), viewQueue: DispatchQueue(label: "view"))
        let view = ModelView()
        controller.connectView(view)
        for run in 1...3 {
            controller.start()
            try await view.send(.ask(.event("run \(run)")), run: run)
            try await view.models.wait { $0.last?.answers == (1...run).map { "event run \($0)" } }
            controller.stop()
        }
        try await worker.leave()
        await fleet.close()
    }

    @Test func aWorkerRunsEveryKindOfHandler() async throws {
        let fleet = try PoolFleet()
        let worker = DrillWorker(fleet.pool.endpoint)
        let caller = PoolCaller(fleet)
        caller.ask(
            .event("a"), .nothing("b"), .stream("c", count: 2), .handler("d"), .connectable("e"), .suspending("f"),
            .suspendingNothing("g"))
        try await caller.hears(
            "event a", "stream c 1", "stream c 2", "handler d", "connectable e", "async f")
        try await worker.ran.wait { $0.contains("nothing b") && $0.contains("async nothing g") }
        await fleet.close()
    }

    @Test func eventsOfOneEffectArriveInOrder() async throws {
        let fleet = try PoolFleet()
        let worker = DrillWorker(fleet.pool.endpoint)
        let caller = PoolCaller(fleet)
        caller.ask(.stream("x", count: 200))
        try await caller.heard.wait { $0.count == 200 }
        #expect(caller.heard.elements == (1...200).map { .answered("stream x \($0)") })
        try await worker.leave()
    }

    @Test func localRoutesRunAsInAnyLoopWithoutAWorker() throws {
        let fleet = try PoolFleet()
        let loop = fleet.loop()
        loop.dispatchEvent(.ask(.localEvent("now")))
        #expect(loop.latestModel.answers == ["local now"])  // all of it before `dispatchEvent` returned
        #expect(fleet.told.elements == ["1 local now"])
    }

    @Test func severalLoopsShareThePool() async throws {
        let fleet = try PoolFleet()
        let worker = DrillWorker(fleet.pool.endpoint)
        let callers = (0..<5).map { _ in PoolCaller(fleet) }
        for (number, caller) in callers.enumerated() { caller.ask(.event("\(number)"), .suspending("\(number)")) }
        for (number, caller) in callers.enumerated() { try await caller.hears("event \(number)", "async \(number)") }
        callers[0].connection.dispose()
        callers[1].ask(.event("again"))
        try await callers[1].hears("event 1", "async 1", "event again")
        try await worker.leave()
    }

    @Test func aSlowLoopHoldsUpNeitherOthersNorTheWorkers() async throws {
        let fleet = try PoolFleet()
        let worker = DrillWorker(fleet.pool.endpoint)
        let goOn = DispatchSemaphore(value: 0)
        let slow = Journey<Drill.Event>()
        let connection = fleet.pool.connect { event in
            slow.add(event)
            goOn.wait()
        }
        connection.accept(.stream("slow", count: 3))
        try await slow.wait { $0.count == 1 }
        let other = PoolCaller(fleet)
        // For longer than workers and pool bear each other's silence.
        let end = ContinuousClock.now + .milliseconds(3500)
        var asked = 0
        while ContinuousClock.now < end {
            asked += 1
            other.ask(.event("\(asked)"))
            try await other.heard.wait { [asked] in $0.count == asked }
        }
        for _ in 1...3 { goOn.signal() }
        try await slow.wait { $0 == (1...3).map { .answered("stream slow \($0)") } }
        connection.dispose()
        #expect(worker.ran.elements == (1...asked).map { "\($0)" })
        try await worker.leave()
    }

    @Test func aPolicyHoldsForEffectsAtWorkers() async throws {
        let fleet = try PoolFleet(hanging: .cancelPrevious)
        let worker = DrillWorker(fleet.pool.endpoint)
        let caller = PoolCaller(fleet)
        caller.ask(.hang("a"))
        try await worker.ran.wait { $0 == ["hanging a"] }
        caller.ask(.hang("b"))
        try await worker.ran.wait { Set($0) == ["hanging a", "cancelled a", "hanging b"] }
        // One at a time, in order; each begins once the one before has answered.
        for number in 1...20 { caller.ask(.suspendingNothing("\(number)")) }
        try await worker.ran.wait { $0.count == 23 }
        #expect(worker.ran.elements.suffix(20) == (1...20).map { "async nothing \($0)" })
        #expect(caller.heard.elements == [])
        await fleet.close()
    }

    @Test func aRouteThatCancelsReachesEffectsAtWorkers() async throws {
        let fleet = try PoolFleet()
        let worker = DrillWorker(fleet.pool.endpoint)
        let caller = PoolCaller(fleet)
        caller.ask(.hang("a"), .hang("b"))
        try await worker.ran.wait { Set($0) == ["hanging a", "hanging b"] }
        caller.ask(.localSuspending("a"))
        try await worker.ran.wait { $0.last == "cancelled a" }
        #expect(worker.ran.elements.count == 3)
        await fleet.close()
    }

    @Test func anExhaustiveRouterLeadsToWorkers() async throws {
        let routes = EffectRouter<Drill.Effect, Drill.Event> { effect in
            switch effect {
            case .localEvent(let words): .toEvent { .answered("local \(words)") }
            case .hang: .toWorkers("drill", timeout: .milliseconds(300)) { .failed("\($0)") }
            default: .toWorkers("drill", timeout: .seconds(3600)) { .failed("\($0)") }
            }
        }
        let pool = try WorkerPool(routes, bind: "tcp://127.0.0.1:*", timing: .quick, logger: .quiet)
        let worker = DrillWorker(pool.endpoint)
        let heard = Journey<Drill.Event>()
        let connection = pool.connect { heard.add($0) }
        connection.accept(.localEvent("a"))
        connection.accept(.event("b"))
        try await heard.wait { $0 == [.answered("local a"), .answered("event b")] }
        connection.accept(.hang("c"))
        try await heard.wait { $0.dropFirst(2) == [.failed("the handler did not answer in time on worker drill")] }
        connection.dispose()
        try await worker.leave()
    }
}

/// A view that keeps the models, and sends events once it is connected.
private final class ModelView: Connectable {
    let models = Journey<Drill.Model>()
    private let consumers = Journey<Consumer<Drill.Event>>()

    func connect(_ consumer: @escaping Consumer<Drill.Event>) -> Connection<Drill.Model> {
        consumers.add(consumer)
        return Connection(acceptClosure: { [models] in models.add($0) }, disposeClosure: {})
    }

    func send(_ event: Drill.Event, run: Int) async throws {
        try await consumers.wait { $0.count == run }
        consumers.elements[run - 1](event)
    }
}
