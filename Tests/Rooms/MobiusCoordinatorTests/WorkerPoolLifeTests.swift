import FleetTestSupport
import Foundation
import MobiusCoordinator
import MobiusCore
import TestTraits
import Testing

/// Workers that are missing, late or lost; loops and pools that end.
@Suite(.patient)
struct WorkerPoolLifeTests {
    @Test func anEffectWaitsForItsWorker() async throws {
        let folder = try TestFolder()
        let fleet = try PoolFleet(bind: "ipc://\(folder.file("s"))")
        let caller = PoolCaller(fleet)
        caller.ask(.event("a"), .event("b"))
        let worker = DrillWorker(fleet.pool.endpoint)
        try await caller.hears("event a", "event b")
        #expect(Set(worker.ran.elements) == ["a", "b"])
        try await worker.leave()
    }

    @Test func theEffectOfAWorkerThatLeavesGoesToAnother() async throws {
        let fleet = try PoolFleet()
        let first = DrillWorker(fleet.pool.endpoint, drainTimeout: .milliseconds(100))
        let caller = PoolCaller(fleet)
        caller.ask(.hang("h"))
        try await first.ran.wait { $0 == ["hanging h"] }
        let second = DrillWorker(fleet.pool.endpoint)
        try await first.leave()
        try await second.ran.wait { $0 == ["hanging h"] }
        #expect(caller.heard.elements == [])
        await fleet.close()
    }

    @Test func theEffectOfALostWorkerGoesToAnotherAndTheLostOneIsNotHeard() async throws {
        let fleet = try PoolFleet()
        let relay = try Relay(to: fleet.pool.endpoint)
        defer { relay.end() }
        let lost = DrillWorker(relay.endpoint)
        let caller = PoolCaller(fleet)
        caller.ask(.connectable("c"), .hang("h"))
        try await caller.hears("connectable c")
        try await lost.ran.wait { $0 == ["hanging h"] }
        let other = DrillWorker(fleet.pool.endpoint)
        relay.cut()
        try await other.ran.wait { $0 == ["hanging h"] }
        try await caller.hears("connectable c", "connectable c")
        relay.mend()
        try await lost.ran.wait { Set($0) == ["hanging h", "cancelled h", "connectable disposed"] }
        await fleet.close()
        try await other.ran.wait { Set($0) == ["hanging h", "cancelled h", "connectable disposed"] }
    }

    @Test func anEffectThatLosesTooManyWorkersFails() async throws {
        let fleet = try PoolFleet(attempts: 1)
        let relay = try Relay(to: fleet.pool.endpoint)
        defer { relay.end() }
        let worker = DrillWorker(relay.endpoint)
        let caller = PoolCaller(fleet)
        caller.ask(.hang("h"))
        try await worker.ran.wait { $0 == ["hanging h"] }
        relay.cut()
        try await caller.hears(.failed("h: the worker was lost in each of 1 attempts"))
        relay.mend()
        try await worker.ran.wait { $0 == ["hanging h", "cancelled h"] }
    }

    @Test func aHandlerThatHangsFailsAtItsTimeout() async throws {
        let fleet = try PoolFleet(timeout: .seconds(3))
        let worker = DrillWorker(fleet.pool.endpoint)
        let caller = PoolCaller(fleet)
        caller.ask(.hang("h"))
        try await caller.hears(.failed("h: the handler did not answer in time on worker drill"))
        try await worker.ran.wait { $0 == ["hanging h", "cancelled h"] }
        try await worker.leave()
    }

    @Test func anEffectThatNoWorkerKnowsOrThatIsTooLargeFails() async throws {
        let fleet = try PoolFleet(maximumPayload: 1000)
        let worker = DrillWorker(fleet.pool.endpoint)
        let caller = PoolCaller(fleet)
        caller.ask(.unrouted, .event(String(repeating: "x", count: 1000)))
        try await caller.heard.wait { $0.count == 2 }
        let failures = caller.heard.elements.map { "\($0)" }
        #expect(failures.contains { $0.contains("too large to send") && $0.contains("--max-payload") })
        #expect(failures.contains { $0.contains("No route takes the effect Effect.unrouted") })
        try await worker.leave()
    }

    @Test func nothingIsDeliveredAfterDisposeAndTheWorkerCancels() async throws {
        let fleet = try PoolFleet()
        let worker = DrillWorker(fleet.pool.endpoint, concurrency: 1)
        let caller = PoolCaller(fleet)
        // Words of the first are on their way, the second runs, the third waits.
        caller.ask(.stream("s", count: 300), .hang("h"), .event("late"))
        try await worker.ran.wait { $0 == ["hanging h"] }
        caller.connection.dispose()
        let heard = caller.heard.elements.count
        try await worker.ran.wait { $0 == ["hanging h", "cancelled h"] }
        let next = PoolCaller(fleet)
        next.ask(.event("next"))
        try await next.hears("event next")
        #expect(caller.heard.elements.count == heard)
        #expect(worker.ran.elements == ["hanging h", "cancelled h", "next"])
        caller.ask(.event("after"))
        try await worker.leave()
        #expect(!worker.ran.elements.contains("after"))
    }

    @Test func aLoopMayEndInsideItsOwnEvent() async throws {
        let fleet = try PoolFleet()
        let worker = DrillWorker(fleet.pool.endpoint)
        let loop = fleet.loop()
        let seen = Journey<Int>()
        loop.addObserver { model in
            seen.add(model.answers.count)
            if model.answers.count == 3 { loop.dispose() }
        }
        loop.dispatchEvent(.ask(.stream("s", count: 200)))
        try await seen.wait { $0.last == 3 }
        await fleet.close()
        #expect(seen.elements.last == 3)
        try await worker.leave()
    }

    @Test func loopsComeAndGoWhileEffectsRun() async throws {
        let fleet = try PoolFleet()
        let worker = DrillWorker(fleet.pool.endpoint)
        await withTaskGroup(of: Void.self) { group in
            for task in 0..<4 {
                group.addTask {
                    for round in 0..<50 {
                        let caller = PoolCaller(fleet)
                        caller.ask(.event("\(task) \(round)"), .stream("s", count: 5), .handler("h"))
                        if round % 2 == 0 { try? await caller.heard.wait { $0.count == 7 } }
                        caller.connection.dispose()
                        let heard = caller.heard.elements.count
                        if round % 2 == 0 { #expect(heard == 7) }
                    }
                }
            }
        }
        let last = PoolCaller(fleet)
        last.ask(.event("last"))
        try await last.hears("event last")
        try await worker.leave()
    }

    @Test func aClosedPoolFailsWhatIsUnderWayAndWhatComesLater() async throws {
        let fleet = try PoolFleet()
        let worker = DrillWorker(fleet.pool.endpoint)
        let caller = PoolCaller(fleet)
        caller.ask(.hang("h"))
        try await worker.ran.wait { $0 == ["hanging h"] }
        await fleet.close()
        try await worker.ran.wait { $0 == ["hanging h", "cancelled h"] }
        try await caller.hears(.failed("h: the worker pool is closed"))
        caller.ask(.event("late"), .localEvent("here"))
        try await caller.hears(
            .failed("h: the worker pool is closed"), .failed("late: the worker pool is closed"),
            .answered("local here"))
        let newcomer = PoolCaller(fleet)
        newcomer.ask(.event("new"))
        try await newcomer.hears(.failed("new: the worker pool is closed"))
        await fleet.close()
        try await worker.leave()  // at once: it holds nothing for a pool that is gone
    }

    @Test func anotherPoolMayListenInThePlaceOfAClosedOneAndItsWorkersCome() async throws {
        let first = try PoolFleet()
        let endpoint = first.pool.endpoint
        let worker = DrillWorker(endpoint)
        for round in 1...3 {
            let fleet = round == 1 ? first : try PoolFleet(bind: endpoint)
            #expect(fleet.pool.endpoint == endpoint)
            let caller = PoolCaller(fleet)
            caller.ask(.event("\(round)"))
            try await caller.hears("event \(round)")
            await fleet.close()
        }
        #expect(worker.ran.elements == ["1", "2", "3"])
        try await worker.leave()
    }

    @Test func aPoolEndsWithItsLastReference() async throws {
        var fleet: PoolFleet? = try PoolFleet()
        let endpoint = try #require(fleet?.pool.endpoint)
        weak let pool = fleet?.pool
        let caller = try PoolCaller(#require(fleet))
        fleet = nil
        #expect(pool != nil)  // a connection keeps it
        caller.connection.dispose()
        let worker = DrillWorker(endpoint)
        caller.ask(.event("nobody"))
        _ = consume caller
        #expect(pool == nil)
        try await eventually("the port is free") { (try? PoolFleet(bind: endpoint)) != nil }
        try await worker.leave()
    }

    @Test func anEndpointInUseIsAClearError() throws {
        let fleet = try PoolFleet()
        for bind in [fleet.pool.endpoint, "nonsense", "tcp://127.0.0.1:99999"] {
            let error = #expect(throws: CoordinatorError.self) { try PoolFleet(bind: bind) }
            #expect(error?.code == .endpoint)
            #expect(error?.message.contains("Cannot listen on \(bind)") == true)
        }
    }

    @Test func aDurableCoordinatorRefusesAPolicyOfOneProcess() async throws {
        let routes = EffectRouter<Drill.Effect, Drill.Event>()
            .routeCase(Drill.Effect.event).executing(.sequentially).toWorkers("drill") { .failed("\($0) \($1)") }
        let coordinator = Coordinator<Drill>(
            CoordinatorSettings(name: "drill", bind: "tcp://127.0.0.1:*", journal: .none, timing: .quick),
            routes: routes, logger: .quiet)
        let running = Task { try await coordinator.run() }
        let error = await #expect(throws: CoordinatorError.self) { try await coordinator.loop.send(.ask(.event("a"))) }
        #expect(error?.code == .held)
        coordinator.stop()
        try await running.value
    }
}
