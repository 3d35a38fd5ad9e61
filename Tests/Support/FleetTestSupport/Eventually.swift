/// Waits until the condition holds; for what nobody can tell of, such as a file's content.
///
/// - Parameter limit: Only for a test that is about the limit; otherwise ``Patience`` decides.
/// - Throws: ``Deadline`` when the time is over; what the condition throws is taken for "not yet", and the last of
///   it is told.
public func eventually(
    _ what: String, within limit: Duration? = nil, _ condition: () async throws -> Bool
) async throws {
    let wait = PatientWait(within: limit)
    var last: (any Error)?
    while true {
        // The condition is checked once more after the end: on a busy machine the pause alone may outlast the limit.
        let isLast = wait.isOver
        do {
            if try await condition() { return }
            last = nil
        } catch {
            last = error
        }
        if isLast { break }
        try await Task.sleep(for: .milliseconds(5))
    }
    throw Deadline(what: what, limit: wait.length, happened: last.map { ["The condition throws: \($0)"] } ?? [])
}
