public import MobiusJournal

extension JournalInspector {
    /// Copies the journal, as it is now, to a new file that opens as a journal, and verifies the copy.
    ///
    /// A coordinator may write the journal meanwhile: what it commits after the beginning is not in the copy, and its
    /// log grows until the end. The copy is written as `PATH-partial`, fsynced and verified, and only then gets its
    /// name. An interrupted copy leaves only `PATH-partial`, which the next backup overwrites.
    ///
    /// The copy is the same journal with the same identity: it may replace the original, but must not be used beside
    /// it.
    ///
    /// - Parameters:
    ///   - path: The file to make. It must not exist; its folder must.
    ///   - progress: Called repeatedly with the number of copied pages and the total.
    /// - Returns: The result of the verification; with findings, the copy keeps the name `PATH-partial`.
    /// - Throws: ``JournalError``: `damaged` when the last commits are lost, `notWritable` when there is no room or the
    ///   file exists, `held` when another backup writes the same file.
    public func backup(
        to path: String, _ progress: (_ done: Int, _ total: Int) -> Void = { _, _ in }
    ) throws(JournalError) -> JournalReport {
        // A copy has no tail mark, so verification would not find that the last commits are missing.
        if let lost = try readRaw({ try lostTail($0) }) { throw JournalError(.damaged, lost) }
        let target = try BackupTarget(path)
        defer { target.release() }
        try copy(to: target, progress)
        return try target.finish()
    }

    /// Copies the journal, as it is now, to the file that gets its name later.
    func copy(
        to target: BackupTarget, _ progress: (_ done: Int, _ total: Int) -> Void
    ) throws(JournalError) {
        try readRaw { source in
            // The read starts the transaction whose state is copied.
            _ = try source.number("SELECT count(*) FROM journal")
            do {
                let copy = try Database(target.partial, shown: target.partial)
                defer { copy.close() }
                // An incomplete copy is never used, so it needs neither a journal nor fsyncs of its own.
                try copy.execute("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF")
                try source.copy(to: copy, progress)
            } catch let error as DatabaseError where !error.isOfReading {
                throw JournalError(error, path: target.partial)
            }
        }
    }
}
