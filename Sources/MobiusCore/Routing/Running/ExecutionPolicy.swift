/// The order in which effects of one route run: concurrently, one after the other, or only the newest.
///
/// A policy applies to the effects of one connection of a router: two loops with the same router do not wait for each
/// other. Waiting effects begin in the order in which they came. An effect ends when its handler has ended its
/// callback, or its async closure has returned.
public struct ExecutionPolicy: Sendable, Hashable {
    enum Rule: Sendable, Hashable {
        case unlimited
        case limited(Int)
        case newest
    }

    let rule: Rule

    /// Each effect begins at once: the default.
    public static let concurrently = ExecutionPolicy(rule: .unlimited)

    /// At most `limit` effects at a time (at least 1); the others wait for their turn.
    public static func concurrently(limit: Int) -> ExecutionPolicy {
        ExecutionPolicy(rule: .limited(limit))
    }

    /// One effect at a time; the others wait for their turn.
    public static let sequentially = ExecutionPolicy(rule: .limited(1))

    /// An effect cancels the previous one, if that is still running, and begins at once.
    ///
    /// Later events of the cancelled effect are not delivered; its task is cancelled, or its handler's disposable is
    /// disposed of.
    public static let cancelPrevious = ExecutionPolicy(rule: .newest)

    /// The error message for an invalid policy.
    var complaint: String? {
        guard case .limited(let limit) = rule, limit < 1 else { return nil }
        return "executing(.concurrently(limit: \(limit))) would never run an effect: the limit must be at least 1."
    }
}
