package import MobiusJournal

/// A connection to a database that has the tables of a journal.
///
/// Calls come from one thread at a time and block it.
package protocol TableReader: AnyObject {
    /// The journal's name in messages for operators: without a password.
    var shown: String { get }
    /// Runs statements that read, in this order.
    func read(_ statements: [SQLStatement]) throws(JournalError) -> [Rows]
    /// The rows of the loop with this number, if they were read in advance.
    func prefetched(_ loop: Int64) -> PrefetchedLoop?
}

extension TableReader {
    /// Runs one statement that reads.
    package func read(_ sql: StaticString, _ values: [SQLStatement.Value] = []) throws(JournalError) -> Rows {
        try read([SQLStatement(sql, values)])[0]
    }

    /// Nothing is read in advance.
    package func prefetched(_ loop: Int64) -> PrefetchedLoop? { nil }
}

/// What recovery reads of one loop, as the tables' own queries would return it.
package struct PrefetchedLoop {
    /// The loop, with its last batch.
    package let loop: Rows
    /// The newest two snapshots, the newest first.
    package let snapshots: Rows
    /// The batches from the one with the older snapshot's event on; all while there are not two snapshots.
    package let runs: Rows
    /// With which event it began again.
    package let begun: Rows
    /// All its outside keys, the newest first; `nil` when they are too many.
    package let keys: Rows?

    /// What was read of a loop.
    package init(loop: Rows, snapshots: Rows, runs: Rows, begun: Rows, keys: Rows?) {
        (self.loop, self.snapshots, self.runs, self.begun, self.keys) = (loop, snapshots, runs, begun, keys)
    }
}
