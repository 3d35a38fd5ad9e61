import FleetTestSupport
import MobiusCoordinator
import MobiusCore
import TestTraits
import Testing

/// Every kind of handler, in a worker and in the coordinator, over real sockets.
@Suite(.patient)
struct HandlerTests {
    @Test func aWorkerRunsEveryKindOfHandler() async throws {
        let fleet = Fleet()
        let worker = DrillWorker(try await fleet.endpoint())
        try await fleet.ask(
            .event("a"), .nothing("b"), .stream("c", count: 3), .handler("d"), .connectable("e"), .suspending("f"),
            .suspendingNothing("g"))
        try await fleet.hears(
            "event a", "stream c 1", "stream c 2", "stream c 3", "handler d", "connectable e", "async f")
        try await worker.ran.wait { $0.contains("nothing b") && $0.contains("async nothing g") }
        try await fleet.stop()
    }

    @Test func eventsOfOneAttemptArriveInOrder() async throws {
        let fleet = Fleet()
        let worker = DrillWorker(try await fleet.endpoint())
        try await fleet.ask(.stream("x", count: 200))
        try await fleet.hears("stream x 200")
        #expect(fleet.told.elements == (1...200).map { "\($0) stream x \($0)" })
        try await worker.leave()
    }

    @Test func localRoutesWorkBesideThoseToWorkers() async throws {
        let fleet = Fleet()
        let worker = DrillWorker(try await fleet.endpoint())
        try await fleet.ask(.localEvent("a"), .event("b"), .localSuspending("c"))
        try await fleet.hears("local a", "event b", "local async c")
        try await worker.leave()
    }

    @Test func aHandlerThatHangsFailsAtItsTimeoutAndIsCancelled() async throws {
        let fleet = Fleet(timeout: .seconds(3))
        let worker = DrillWorker(try await fleet.endpoint())
        try await fleet.ask(.hang("h"))
        try await fleet.hears("failed: h: the handler did not answer in time on worker drill")
        try await worker.ran.wait { $0 == ["hanging h", "cancelled h"] }
        try await worker.leave()
    }

    @Test func anEndlessHandlerIsStoppedAtItsTimeout() async throws {
        let fleet = Fleet(timeout: .seconds(3))
        let worker = DrillWorker(try await fleet.endpoint())
        try await fleet.ask(.connectable("e"))
        try await fleet.hears("connectable e", "failed: e: the handler did not answer in time on worker drill")
        try await worker.ran.wait { $0 == ["connectable disposed"] }
        try await worker.leave()
    }

    @Test func anEffectThatTheWorkerHasNoRouteForFailsWithASentence() async throws {
        let fleet = Fleet()
        let worker = DrillWorker(try await fleet.endpoint())
        try await fleet.ask(.unrouted)
        try await fleet.told.wait { told in
            told.contains { $0.contains("failed: No route takes the effect Effect.unrouted") }
        }
        try await worker.leave()
    }

    @Test func slowHandlersRunSideBySide() async throws {
        let fleet = Fleet()
        let worker = DrillWorker(try await fleet.endpoint(), concurrency: 40)
        for number in 1...40 { try await fleet.ask(.hang("\(number)")) }
        try await worker.ran.wait { $0.count == 40 }
        try await fleet.stop()
    }
}
