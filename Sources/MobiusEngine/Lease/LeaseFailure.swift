/// A shard that is left to others for a while, because its work failed in this process.
struct LeaseFailure: Sendable {
    var until: Moment
    /// The number of failures in a row.
    let count: Int
    /// Whether this process may be the reason.
    var isOwn: Bool
    /// Whether no process could run it then, and another one has run it since.
    var ranElsewhere = false

    /// Another process ran the shard in between, so what was wrong with it may be past.
    ///
    /// The count stays: one more failure makes a longer pause.
    mutating func endPause(at now: Moment) { (until, ranElsewhere) = (min(until, now), false) }
}
