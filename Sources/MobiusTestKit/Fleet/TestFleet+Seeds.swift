import MobiusCore

extension TestFleet {
    /// Runs a test with one fleet per seed, and calls ``finish()`` after each.
    ///
    /// ```swift
    /// try await TestFleet.check(seeds: 1...5) { seed in
    ///     TestFleet(Shop.self, routes: routes, workers: workers, seed: seed, faults: .all)
    /// } run: { fleet in
    ///     fleet.send(.ordered("tea"))
    ///     try await fleet.runUntilQuiet()
    ///     try #require(fleet.model.charged == ["tea"])
    /// }
    /// ```
    /// It stops at the first seed that fails. To reproduce the failure, run that seed alone: `check(seeds: 17...17)`.
    /// The test must throw its failures, as `#require` does: only a thrown failure is reported with its seed.
    ///
    /// - Throws: ``TestFleetError`` with the seed and the trace, for any error that the test throws;
    ///   `CancellationError` when the task is cancelled.
    public static func check(
        seeds: ClosedRange<UInt64>, of make: (_ seed: UInt64) throws -> TestFleet,
        run test: (TestFleet) async throws -> Void
    ) async throws {
        for seed in seeds {
            let fleet = try make(seed)
            do {
                try await test(fleet)
                try await fleet.finish()
            } catch let error as CancellationError {
                throw error
            } catch let error as TestFleetError {
                throw error
            } catch {
                throw TestFleetError(.seed, "The test failed: \(error)", seed: fleet.seed, trace: fleet.trace)
            }
        }
    }
}
