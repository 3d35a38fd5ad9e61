/// How the effects of one route share their time: side by side, one after the other, or only the newest.
///
/// A policy holds for the effects that one connection of a router gets: two loops made with the same router do not
/// wait for each other. Effects that have to wait begin in the order in which they came, and an effect is over when its
/// handler has ended its callback, or its async closure has returned.
public struct ExecutionPolicy: Sendable, Hashable {
    enum Rule: Sendable, Hashable {
        case unlimited
        case limited(Int)
        case newest
    }

    let rule: Rule

    /// Each effect begins at once: what routes do that say nothing.
    public static let concurrently = ExecutionPolicy(rule: .unlimited)

    /// At most `limit` effects at a time (at least 1); the others wait for their turn.
    public static func concurrently(limit: Int) -> ExecutionPolicy {
        ExecutionPolicy(rule: .limited(limit))
    }

    /// One effect at a time; the others wait for their turn.
    public static let sequentially = ExecutionPolicy(rule: .limited(1))

    /// An effect cancels the one before it, if that is still under way, and begins at once.
    ///
    /// Nothing that the cancelled effect sends from then on is delivered: its task is cancelled, or what its handler
    /// returned is disposed of.
    public static let cancelPrevious = ExecutionPolicy(rule: .newest)

    /// What is wrong with it, as a sentence.
    var complaint: String? {
        guard case .limited(let limit) = rule, limit < 1 else { return nil }
        return "executing(.concurrently(limit: \(limit))) would never run an effect: the limit must be at least 1."
    }
}
