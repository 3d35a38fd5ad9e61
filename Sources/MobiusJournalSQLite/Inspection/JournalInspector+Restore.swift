import GRDB
public import MobiusJournal
public import MobiusWire

extension JournalInspector {
    /// Copies this journal, a backup, to a new file on which a coordinator can go on in place of the journal that was lost.
    ///
    /// The copy is another journal: it has an identity of its own, so workers drop what they hold for the lost one and join
    /// anew. In each loop the numbers of events go on at a later place, so no effect gets the name,
    /// and with it the idempotency key, of one that was asked for after the backup. Everything else is as it was backed up.
    ///
    /// The copy is written as `PATH-partial`, verified, and only then gets its name.
    ///
    /// - Parameters:
    ///   - path: The file to make. Neither it nor `PATH-wal` may exist; its folder must.
    ///   - time: The time now; another restoration of the same backup must be in another minute.
    ///   - progress: Called now and then with the number of pages that are copied, of how many.
    /// - Returns: What the verification found; with findings, the copy stays `PATH-partial`.
    /// - Throws: ``JournalError``: `notWritable` when there is no room or a file of that name, `held` when a coordinator has the
    ///   journal open that was there.
    public func restore(
        to path: String, at time: WallTime, _ progress: (_ done: Int, _ total: Int) -> Void = { _, _ in }
    ) throws(JournalError) -> JournalReport {
        // A coordinator may still have the file open whose name is free by now.
        let lock = try JournalLock(journal: try JournalPath.resolve(path), shown: path)
        defer { lock.release() }
        guard JournalPath.size(of: path + "-wal") == 0 else {
            throw JournalError(
                .notWritable,
                "There is a log \(path)-wal of another journal: move it away, and keep it, for it may hold the newest events."
            )
        }
        let target = try BackupTarget(path, for: .journal)
        defer { target.release() }
        try copy(to: target, progress)
        try JournalError.translating(target.partial) { try Self.beginAnew(target.partial, at: time) }
        return try target.finish()
    }

    /// Makes a copy another journal, whose loops go on elsewhere.
    private static func beginAnew(_ path: String, at time: WallTime) throws {
        var random = SystemRandomNumberGenerator()
        let identity = JournalID.random(using: &random)
        let copy = try DatabaseQueue(path: path)
        defer { try? copy.close() }
        try copy.writeWithoutTransaction { database in
            try database.inTransaction(.immediate) {
                try database.execute(
                    sql: "UPDATE journal SET identity = ?", arguments: [identity.description])
                try Epochs.prepare(database)
                // Of the same build as before: no `update` of another one has run.
                if let last = try Epochs.all(database, path: path).last {
                    let epoch = try Epochs.begin(database, build: last.build, path: path)
                    try goOn(database, path: path, as: identity, at: time, epoch: epoch)
                }
                return .commit
            }
            _ = try JournalConnection.number(database, "PRAGMA wal_checkpoint(TRUNCATE)")
            _ = try JournalConnection.text(database, "PRAGMA journal_mode = DELETE")
        }
    }

    /// Writes an event into each loop that does nothing, at the place where the loop goes on.
    private static func goOn(
        _ database: Database, path: String, as identity: JournalID, at time: WallTime, epoch: UInt64
    ) throws {
        var contents = try StoredJournal(database, path: path)
        var records: [JournalRecord] = []
        for loop in try contents.loopNames(database) {
            guard let last = try contents.loops.find(loop, database)?.last else { continue }
            records.append(
                .event(
                    EventRecord(
                        loop: loop, sequence: last.restored(at: time).sequence, source: .restoration(identity),
                        event: nil, effects: [], ends: nil, time: time)))
        }
        var writer = RecordWriter()
        try writer.write([records], epoch: epoch, database, contents: &contents, limits: .standard)
    }
}

extension SourceKey {
    /// Where the event comes from with which a loop goes on in a journal that was restored; it has no content.
    static func restoration(_ journal: JournalID) -> SourceKey { .outside("mobius journal restore \(journal)") }
}
