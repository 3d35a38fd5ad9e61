import MobiusCore
import MobiusTestKit
import SampleApp
import Testing

@testable import sample_app_worker

/// The whole fleet in one process and in virtual time.
struct FleetTests {
    private let fleet = TestFleet(
        SampleApp.self, routes: SampleApp.routes, workers: [.pool("sample-app") { SampleApp.handlers }])

    @Test func everyItemGetsItsResult() async throws {
        fleet.send(.added(item: "apple"))
        fleet.send(.added(item: "pear"))
        try await fleet.runUntilQuiet()
        #expect(fleet.model == SampleApp.Model(results: ["apple": "APPLE", "pear": "PEAR"]))
        try await fleet.finish()  // all promises were kept
    }

    @Test func aKilledCoordinatorLosesNothing() async throws {
        fleet.send(.added(item: "apple"))
        try await fleet.runUntilQuiet()
        fleet.killCoordinator()
        fleet.killWorker(in: "sample-app")
        fleet.send(.added(item: "pear"))
        try await fleet.runUntilQuiet()
        #expect(fleet.model.results == ["apple": "APPLE", "pear": "PEAR"])
        try await fleet.finish()
    }

    @Test func eachLoopHasAModelOfItsOwn() async throws {
        let customer = try #require(LoopID("customer/42"))
        fleet.send(.added(item: "apple"), to: customer)
        try await fleet.runUntilQuiet()
        #expect(fleet.model(of: customer).results == ["apple": "APPLE"])
        #expect(fleet.model == SampleApp.Model())
        try await fleet.finish()
    }
}
