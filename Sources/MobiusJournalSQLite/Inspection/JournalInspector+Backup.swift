import GRDB
public import MobiusJournal

extension JournalInspector {
    /// Copies the journal, as it is now, to a new file that opens as a journal, and verifies the copy.
    ///
    /// A coordinator may write the journal meanwhile: what it commits after the beginning is not in the copy, and its log grows
    /// until the end. The copy is written as `PATH-partial`, fsynced and verified, and only then gets its name: a copy that
    /// was interrupted leaves nothing but `PATH-partial`, which the next one writes anew.
    ///
    /// The copy is the same journal, with the same identity: it takes the original's place, never stands beside it.
    ///
    /// - Parameters:
    ///   - path: The file to make. It must not exist; its folder must.
    ///   - progress: Called now and then with the number of pages that are copied, of how many.
    /// - Returns: What the verification found; with findings, the copy stays `PATH-partial`.
    /// - Throws: ``JournalError``: `damaged` when what was committed last is lost, `notWritable` when there is no room or a file of that name, `held` when another backup is
    ///   writing it.
    public func backup(
        to path: String, _ progress: (_ done: Int, _ total: Int) -> Void = { _, _ in }
    ) throws(JournalError) -> JournalReport {
        // A copy of what is left would count as sound: it has no mark of what was committed.
        if let lost = try lookBelow({ try lostTail($0) }) { throw JournalError(.damaged, lost) }
        let target = try BackupTarget(path)
        defer { target.release() }
        try copy(to: target, progress)
        return try target.finish()
    }

    /// Copies the journal, as it is now, to the file that gets its name later.
    func copy(
        to target: BackupTarget, _ progress: (_ done: Int, _ total: Int) -> Void
    ) throws(JournalError) {
        try JournalError.translating(target.partial) {
            try lookBelow { source in
                // Begins the moment that is copied.
                _ = try JournalConnection.number(source, "SELECT count(*) FROM journal")
                var configuration = Configuration()
                configuration.label = "journal backup"
                configuration.foreignKeysEnabled = false
                let copy = try DatabaseQueue(path: target.partial, configuration: configuration)
                defer { try? copy.close() }
                try copy.writeWithoutTransaction { copy in
                    // What is half written is never used, so it needs neither a journal nor fsyncs of its own.
                    try copy.execute(sql: "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF")
                    try withoutActuallyEscaping(progress) { progress in
                        try source.backup(to: copy, pagesPerStep: 1_024) { step in
                            progress(step.completedPageCount, step.totalPageCount)
                        }
                    }
                }
            }
        }
    }
}
