import MobiusCore

extension TestFleet {
    /// Runs a test with a fleet per seed, and ``finish()`` after each.
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
    /// It ends with the first seed that fails. A test that fails with that seed alone, `check(seeds: 17...17)`, fails in the
    /// same way. What the test finds must be thrown, as `#require` does, so that the seed is named.
    ///
    /// - Throws: ``TestFleetError`` with the seed and what happened, whatever the test threw.
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
