/// Does the same work for all items, for so many of them at once; the values are in the order in which they came.
///
/// - Throws: The first error of any of them; the others are cancelled.
func concurrently<Item: Sendable, Value: Sendable>(
    _ items: some Sequence<Item>, atOnce limit: Int, _ work: @escaping @Sendable (Item) async throws -> Value
) async throws -> [Value] {
    try await withThrowingTaskGroup(of: Value.self) { group in
        var values: [Value] = []
        for (index, item) in items.enumerated() {
            if index >= limit, let value = try await group.next() { values.append(value) }
            group.addTask { try await work(item) }
        }
        for try await value in group { values.append(value) }
        return values
    }
}
