/// Waits until the condition holds; for what nobody can tell of, such as a file's content.
///
/// - Parameter limit: Only for a test that is about the limit; otherwise ``Patience`` decides.
/// - Throws: ``Deadline`` when the time is over; what the condition throws is taken for "not yet".
public func eventually(
    _ what: String, within limit: Duration? = nil, _ condition: () async throws -> Bool
) async throws {
    let wait = PatientWait(within: limit)
    while !wait.isOver {
        if (try? await condition()) == true { return }
        try await Task.sleep(for: .milliseconds(5))
    }
    throw Deadline(what: what, limit: wait.length, happened: [])
}
