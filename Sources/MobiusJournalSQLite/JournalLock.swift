import MobiusJournal

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The right to write a journal: a locked file beside it that contains the writer's pid.
///
/// The system releases the lock (`flock`) when the process ends, however it ends, so there is no stale lock to remove.
/// It is a separate file because a restore locks a journal that does not exist yet, and because every system keeps its
/// lock apart from SQLite's. ``JournalFile`` locks the journal under its other names.
final class JournalLock: Sendable {
    private let path: String
    private let file: CInt

    /// Takes the lock of the journal at `path`, which has no symbolic links.
    ///
    /// - Throws: ``JournalError`` with code `held`, naming the holder, or `notWritable`.
    init(journal path: String, shown: String) throws(JournalError) {
        self.path = path + "-lock"
        self.file = try Self.lock(self.path, shown: shown)
        // The pid is only informative: the lock is valid without it.
        let pid = "\(getpid())\n"
        if ftruncate(file, 0) == 0 { _ = pwrite(file, pid, pid.utf8.count, 0) }
    }

    /// Releases the lock and deletes its file; must be called once.
    func release() {
        // Unlinked while it is locked: a process that opened it before then finds below that the path names another
        // file.
        unlink(path)
        close(file)
    }

    private static func lock(_ path: String, shown: String) throws(JournalError) -> CInt {
        while true {
            let file = try SideFile.open(path)
            if flock(file, LOCK_EX | LOCK_NB) == 0 {
                if JournalFile.isNamed(file, path) { return file }
                close(file)
                continue
            }
            let error = SystemError("flock")
            let holder = readPid(file)
            close(file)
            if error.number == EINTR { continue }
            guard error.number == EWOULDBLOCK else {
                throw JournalError(
                    .notWritable, "The journal \(shown) cannot be locked there: choose another --journal FILE.",
                    underlying: error)
            }
            throw held(shown, by: holder)
        }
    }

    /// The error for a second opening.
    static func held(_ shown: String, by holder: Int?) -> JournalError {
        let who =
            switch holder {
            case .some(Int(getpid())): "This process (pid \(getpid())) has the journal \(shown) open already"
            case .some(let pid): "Another coordinator (pid \(pid)) has the journal \(shown) open"
            case nil: "Another coordinator has the journal \(shown) open"
            }
        return JournalError(.held, "\(who): stop it first, or choose another --journal FILE.")
    }

    /// The pid in a lock file.
    static func readPid(_ file: CInt) -> Int? {
        withUnsafeTemporaryAllocation(byteCount: 20, alignment: 1) { buffer in
            let count = pread(file, buffer.baseAddress, buffer.count, 0)
            guard count > 0 else { return nil }
            return Int(String(decoding: buffer[..<count].prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self))
        }
    }
}
