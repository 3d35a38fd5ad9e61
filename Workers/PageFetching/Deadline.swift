/// Gives an operation a time limit.
enum Deadline {
    /// The operation did not end in time.
    struct Exceeded: Error {}

    /// Runs `operation`, cancels it when `limit` has passed, and throws ``Exceeded`` then.
    static func run<Value: Sendable>(
        for limit: Duration, _ operation: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        try await withThrowingTaskGroup(of: Value.self) { group in
            group.addTask { try await operation() }
            group.addTask {
                try await Task.sleep(for: limit)
                throw Exceeded()
            }
            defer { group.cancelAll() }
            guard let value = try await group.next() else { throw Exceeded() }
            return value
        }
    }
}
