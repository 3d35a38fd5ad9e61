import FleetTestSupport
public import Testing

/// Gives a test, or each test of a suite, a thread of its own.
///
/// For tests that compute for long. All others share as many threads as the machine has processors: with two such tests at
/// once on two processors, nobody else's task would run until one of them has ended.
public struct OwnThread: SuiteTrait, TestTrait, TestScoping {
    /// Suites within the suite have it, too.
    public let isRecursive = true

    /// Runs a test where nobody waits for its thread.
    public func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        try await TaskThread().run(function)
    }
}

extension Trait where Self == OwnThread {
    /// For tests that compute for long: each has a thread of its own.
    public static var ownThread: Self { Self() }
}
