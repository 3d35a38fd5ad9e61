/// Waits until the condition holds; for what nobody can tell of, such as a file's content.
///
/// - Throws: ``Deadline`` when the time is over; what the condition throws is taken for "not yet".
public func eventually(
    _ what: String, within limit: Duration = .seconds(30), _ condition: () async throws -> Bool
) async throws {
    let end = ContinuousClock.now + limit
    while ContinuousClock.now < end {
        if (try? await condition()) == true { return }
        try await Task.sleep(for: .milliseconds(5))
    }
    throw Deadline(what: what, limit: limit, happened: [])
}
