package import MobiusJournal
package import MobiusWire

/// A connection to a database that has the tables of a journal.
///
/// Calls come from one thread at a time and block it.
package protocol JournalDatabase: AnyObject {
    /// The journal's name in messages for operators: without a password.
    var shown: String { get }
    /// Runs statements that read, in this order.
    func read(_ statements: [SQLStatement]) throws(JournalError) -> [Rows]
    /// The rows of the loop with this number, if they were read in advance.
    func prefetched(_ loop: Int64) -> PrefetchedLoop?

    // MARK: What each database keeps in its own way

    /// Whether a table of this name is there: see ``TableDefinitions/later(_:)``.
    func hasTable(_ name: String) throws(JournalError) -> Bool

    /// The id of the first batch of the loop with this number.
    func firstRow(ofLoop number: Int64) -> Int64
    /// The greatest number that a loop may have.
    var maximumLoop: Int64 { get }
    /// The loop of this name, `nil` when there is none; the checksum of its last batch is verified.
    ///
    /// A missing batch before it is found when the loop is read.
    func find(_ loop: LoopID, shard: Int64) throws(JournalError) -> NumberedLoop?
    /// The loops that a start must recover, in the order in which they were added.
    func activeLoops(shard: Int64) throws(JournalError) -> [LoopID]
    /// The first loops with records behind `after` whose names are not before `prefix`, as ``IdleTable`` reads them.
    func loopPage(prefix: String, after: LoopID?, limit: Int, shard: Int64) throws(JournalError) -> Rows
    /// The numbers of the loops that have records.
    func loopsWithRecords(shard: Int64) throws(JournalError) -> Set<Int64>
    /// All epochs in order, each with its build.
    func epochs(shard: Int64) throws(JournalError) -> [(epoch: Int64, build: String)]
    /// The last batch that begins at or before `place`; the first one when all begin after it.
    func batch(around place: RecordPlace, loop: Int64, shard: Int64) throws(JournalError) -> RecordBatch?
    /// The first batch behind `place`.
    func batch(after place: RecordPlace, loop: Int64, shard: Int64) throws(JournalError) -> RecordBatch?
    /// Visits a loop's batches from the one around `place` on, or from the first, until `visit` returns `false`.
    ///
    /// - Parameter isReplay: Whether what was read in advance is enough.
    func visitBatches(
        around place: RecordPlace?, loop: Int64, shard: Int64, isReplay: Bool, _ visit: (StoredBatch) throws -> Bool
    ) throws
    /// The number of a loop's records, without reading them.
    func countRecords(loop: Int64, shard: Int64) throws(JournalError) -> Int
    /// The number of the first of a loop's newest `count` events; `nil` when fewer are kept.
    func sequence(ofNewest count: Int, loop: Int64, shard: Int64) throws(JournalError) -> UInt64?
    /// The last event that applied an outside key.
    func sequence(ofKey key: String, loop: Int64, shard: Int64) throws(JournalError) -> Int64?
    /// The mark of a key's sender; `nil` without one.
    func mark(ofKey key: String, loop: Int64, shard: Int64) throws(JournalError) -> SenderMark?
    /// Inserts a batch, at once or with the commit.
    ///
    /// - Returns: the id of the loop's next batch.
    func insert(
        _ batch: RecordBatch, _ content: UnsafeRawBufferPointer, _ commit: inout Commit
    ) throws(JournalError) -> Int64
    /// Inserts an outside key, at once or with the commit; one that exists becomes the newest.
    func insert(
        key: String, loop: Int64, sequence: Int64, _ mark: SenderMark?, _ commit: inout Commit
    ) throws(JournalError)
    /// Deletes batches from the first on whose records all stand before `boundary`, at once or with the commit, until
    /// `budget` records are deleted, which it counts down.
    ///
    /// - Parameter begin: The loop's first record: what the same commit has deleted already may still be read.
    /// - Returns: The place of the first record then, and whether all batches before the boundary are deleted.
    func deleteBatches(
        from begin: RecordPlace, before boundary: RecordPlace, loop: Int64, budget: inout Int, _ commit: inout Commit
    ) throws(JournalError) -> (first: RecordPlace, isDone: Bool)
    /// Returns what earlier processes have left of records before the older snapshots of active loops.
    func leftovers(shard: Int64) throws(JournalError) -> [(loop: LoopID, number: Int64, end: RecordPlace)]
    /// The bytes that the journal takes.
    func usedBytes(shard: Int64) throws(JournalError) -> Int64
    /// Whether ``usedBytes(shard:)`` may be asked at each commit.
    var knowsUsedBytes: Bool { get }
    /// Returns the trimmer that deletes the oldest outside keys of loops that have more than `limit`.
    func keyTrimmer(shard: Int64, limit: Int) -> any KeyTrimmer
    /// The newest keys of a loop, oldest first; their checksums are verified.
    func newestKeys(_ limit: Int, loop: Int64, shard: Int64) throws(JournalError) -> [String]
}

/// A row of records.
package struct StoredBatch {
    /// The batch in its columns; `nil` when they cannot belong to one.
    package let batch: RecordBatch?
    /// Its checksum.
    package let checksum: Int64
    /// The number of its first event, which may be damaged.
    package let sequence: UInt64
    /// The records; valid during the visit.
    package let content: UnsafeRawBufferPointer

    /// A row.
    package init(_ batch: RecordBatch?, checksum: Int64, sequence: Int64, content: UnsafeRawBufferPointer) {
        (self.batch, self.checksum, self.content) = (batch, checksum, content)
        self.sequence = UInt64(bitPattern: sequence)
    }
}

extension JournalDatabase {
    /// Runs one statement that reads.
    package func read(_ sql: StaticString, _ values: [SQLStatement.Value] = []) throws(JournalError) -> Rows {
        try read([SQLStatement(sql, values)])[0]
    }

    /// Nothing is read in advance.
    package func prefetched(_ loop: Int64) -> PrefetchedLoop? { nil }
}

/// The rows that recovery reads of one loop, as the tables' own queries would return them.
package struct PrefetchedLoop {
    /// The loop, with its last batch.
    package let loop: Rows
    /// The newest two snapshots, the newest first.
    package let snapshots: Rows
    /// The batches from the one with the older snapshot's event on; all while there are not two snapshots.
    package let runs: Rows
    /// The event with which it began again.
    package let begun: Rows
    /// All its outside keys, the newest first; `nil` when they are too many.
    package let keys: Rows?

    /// Joins the rows that were read of a loop.
    package init(loop: Rows, snapshots: Rows, runs: Rows, begun: Rows, keys: Rows?) {
        (self.loop, self.snapshots, self.runs, self.begun, self.keys) = (loop, snapshots, runs, begun, keys)
    }
}
