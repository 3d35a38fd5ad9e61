extension NewPackage {
    var updateTests: String {
        #"""
        import \#(module)
        import MobiusCore
        import MobiusTest
        import Testing

        /// What `update` decides.
        struct UpdateTests {
            private let spec = UpdateSpec(\#(module).update)

            @Test func anItemIsProcessed() {
                spec
                    .given(\#(module).Model())
                    .when(.added(item: "apple"))
                    .then(assertThatNext(hasModel(\#(module).Model()), hasOnlyEffects([.process(item: "apple")])))
            }

            @Test func anItemWithAResultIsNotProcessedAgain() {
                spec
                    .given(\#(module).Model(results: ["apple": "APPLE"]))
                    .when(.added(item: "apple"))
                    .then(assertThatNext(hasNothing()))
            }
        }

        """#
    }

    var fleetTests: String {
        #"""
        import \#(module)
        import MobiusCore
        import MobiusTestKit
        import Testing

        @testable import \#(workerModule)

        /// The whole fleet in one process and in virtual time.
        struct FleetTests {
            private let fleet = TestFleet(
                \#(module).self, routes: \#(module).routes, workers: [.pool("\#(text)") { \#(module).handlers }])

            @Test func everyItemGetsItsResult() async throws {
                fleet.send(.added(item: "apple"))
                fleet.send(.added(item: "pear"))
                try await fleet.runUntilQuiet()
                #expect(fleet.model == \#(module).Model(results: ["apple": "APPLE", "pear": "PEAR"]))
                try await fleet.finish()  // all promises were kept
            }

            @Test func aKilledCoordinatorLosesNothing() async throws {
                fleet.send(.added(item: "apple"))
                try await fleet.runUntilQuiet()
                fleet.killCoordinator()
                fleet.killWorker(in: "\#(text)")
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
                #expect(fleet.model == \#(module).Model())
                try await fleet.finish()
            }
        }

        """#
    }
}
