public import MobiusJournal
import MobiusJournalTables
public import MobiusWire

extension JournalInspector {
    /// Copies this journal, a backup, to a new file with which a coordinator can replace the journal that was lost.
    ///
    /// The copy is a different journal with an identity of its own, so workers drop the state that they hold for the
    /// lost one and join again. In each loop the sequence numbers continue at a later place, so no effect gets the id,
    /// and with it the idempotency key, of an effect that was requested after the backup. Everything else is as it was
    /// backed up.
    ///
    /// The copy is written as `PATH-partial`, verified, and only then gets its name.
    ///
    /// - Parameters:
    ///   - path: The file to make. Neither it nor `PATH-wal` may exist; its folder must.
    ///   - time: The time now; restoring the same backup twice needs times in different minutes.
    ///   - progress: Called repeatedly with the number of copied pages and the total.
    /// - Returns: The result of the verification; with findings, the copy keeps the name `PATH-partial`.
    /// - Throws: ``JournalError``: `notWritable` when there is no room or the file exists, `held` when a coordinator
    ///   still has the previous journal of that name open.
    public func restore(
        to path: String, at time: WallTime, _ progress: (_ done: Int, _ total: Int) -> Void = { _, _ in }
    ) throws(JournalError) -> JournalReport {
        // A coordinator may still have a deleted file of this name open.
        let lock = try JournalLock(journal: try JournalPath.resolve(path), shown: path)
        defer { lock.release() }
        guard JournalPath.size(of: path + "-wal") == 0 else {
            throw JournalError(
                .notWritable,
                "There is a log \(path)-wal of another journal: move it away, and keep it, for it may hold the newest "
                    + "events.")
        }
        let target = try BackupTarget(path, for: .journal)
        defer { target.release() }
        try copy(to: target, progress)
        try JournalError.translating(target.partial) { try Self.assignIdentity(target.partial, at: time) }
        return try target.finish()
    }

    /// Gives the copy a new identity and lets its loops continue at later sequence numbers.
    private static func assignIdentity(_ path: String, at time: WallTime) throws {
        var random = SystemRandomNumberGenerator()
        let identity = JournalID.random(using: &random)
        let copy = try Database(path, shown: path)
        defer { copy.close() }
        try copy.transaction {
            try copy.run("UPDATE journal SET identity = ?", [identity.description])
            // The same build as before, because no `update` of another build has run.
            if let last = try Epochs.all(copy).last {
                let epoch = try Epochs.begin(copy, build: last.build)
                try continueLoops(copy, path: path, as: identity, at: time, epoch: epoch)
            }
        }
        _ = try copy.number("PRAGMA wal_checkpoint(TRUNCATE)")
        _ = try copy.text("PRAGMA journal_mode = DELETE")
    }

    /// Appends an event without content to each loop, at the sequence number at which the loop continues.
    private static func continueLoops(
        _ database: Database, path: String, as identity: JournalID, at time: WallTime, epoch: UInt64
    ) throws {
        var contents = try Contents(shard: Database.shard, database)
        var records: [JournalRecord] = []
        for loop in try contents.loopNames(database) {
            guard let last = try contents.loops.find(loop, database)?.last else { continue }
            records.append(
                .event(
                    EventRecord(
                        loop: loop, sequence: last.restored(at: time).sequence, source: .restoration(identity),
                        event: nil, effects: [], ends: nil, time: time)))
        }
        try database.perform { commit in
            var writer = RecordWriter(epoch: epoch, limits: .standard)
            try writer.write([records], database, contents: &contents, &commit)
        }
        try database.perform { commit in
            // Loops that began after the copy was made may begin again, and their effects must have other ids.
            let next = RecordPlace(
                sequence: try BegunLoopTable.sequence(loop: 0, shard: Database.shard, database), part: 0)
            try BegunLoopTable.raiseNewLoops(to: next.restored(at: time).sequence, database, &commit)
            // An ended loop that begins again does so behind that event.
            for var end in try EndedLoopTable.all(shard: Database.shard, database) {
                guard let numbered = try contents.loops.find(end.loop, database), let last = numbered.last else {
                    continue
                }
                end.sequence = last.sequence
                EndedLoopTable.insert(end, loop: numbered.number, &commit)
            }
        }
    }
}

extension SourceKey {
    /// The source of the event with which a loop continues in a restored journal; the event has no content.
    static func restoration(_ journal: JournalID) -> SourceKey { .outside("mobius journal restore \(journal)") }
}
