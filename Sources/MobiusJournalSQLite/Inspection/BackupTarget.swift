import MobiusJournal

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The file that a copy of a journal is written to, and that gets its final name once it is complete.
struct BackupTarget {
    /// The purpose of the copy, as used in messages for operators.
    enum Purpose: String {
        case backup
        case journal

        var advice: String {
            switch self {
            case .backup: "choose another name for the backup"
            case .journal: "move it away first, and keep it, for it may hold more than the backup"
            }
        }
    }

    /// The name of the file until it is complete.
    let partial: String
    private let path: String
    private let file: CInt
    private let purpose: Purpose

    /// Creates the file, empty, under its partial name and locks it.
    ///
    /// - Throws: ``JournalError``: `notWritable` or `held`.
    init(_ path: String, for purpose: Purpose = .backup) throws(JournalError) {
        self.path = path
        self.purpose = purpose
        partial = path + "-partial"
        guard !path.isEmpty, !path.utf8.contains(0) else {
            throw JournalError(.notWritable, "A \(purpose) needs a file name.")
        }
        try Self.requireFree(path, for: purpose)
        file = open(partial, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
        guard file >= 0 else {
            throw JournalError(
                .notWritable,
                "The \(purpose) \(path) cannot be made: choose a folder that exists and that you may write in.",
                underlying: SystemError("open"))
        }
        guard flock(file, LOCK_EX | LOCK_NB) == 0 else {
            let error = SystemError("flock")
            close(file)
            throw JournalError(.held, "Another command is writing \(partial): wait for it.", underlying: error)
        }
        // Left by an interrupted backup.
        for end in ["-journal", "-wal", "-shm"] { unlink(partial + end) }
        guard ftruncate(file, 0) == 0 else {
            let error = SystemError("ftruncate")
            close(file)
            throw JournalError(.notWritable, "The \(purpose) \(partial) cannot be written.", underlying: error)
        }
    }

    /// Verifies the content; if it is a sound journal, gives the file its final name.
    ///
    /// Returns when all is on disk.
    func finish() throws(JournalError) -> JournalReport {
        try sync()
        let copy = try JournalInspector(path: partial)
        defer { copy.close() }
        let report = try copy.verify()
        if report.isSound { try giveName() }
        return report
    }

    /// Returns when the content is on disk.
    private func sync() throws(JournalError) {
        guard fsync(file) != 0 else { return }
        throw JournalError(
            .notWritable, "The \(purpose) \(partial) cannot be synced to disk.", underlying: SystemError("fsync"))
    }

    /// Gives the file its final name, and returns when that is on disk; never replaces another file.
    private func giveName() throws(JournalError) {
        if link(partial, path) == 0 {
            unlink(partial)
        } else {
            // Some file systems have no hard links.
            try Self.requireFree(path, for: purpose)
            guard rename(partial, path) == 0 else {
                throw JournalError(
                    .notWritable, "The \(purpose) \(partial) is complete, but cannot be renamed to \(path).",
                    underlying: SystemError("rename"))
            }
        }
        let slash = path.lastIndex(of: "/")
        let folder = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        let directory = open(folder, O_RDONLY | O_CLOEXEC)
        guard directory >= 0 else { return }
        fsync(directory)
        close(directory)
    }

    /// Unlocks the file.
    func release() {
        // The file has its final name now and may be opened as a journal: see `JournalFile.release`.
        flock(file, LOCK_UN)
        close(file)
    }

    private static func requireFree(_ path: String, for purpose: Purpose) throws(JournalError) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return }
        throw JournalError(.notWritable, "There is a file \(path) already: \(purpose.advice).")
    }
}
