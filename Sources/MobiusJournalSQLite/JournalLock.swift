import MobiusJournal

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The right to write a journal: a locked file beside it that holds the writer's pid.
///
/// The system gives the lock (`flock`) back when the process ends, however it ends, so there is no stale lock to clear
/// away. It is a file of its own, for restoring locks a journal that is not there yet, and every system keeps its lock apart
/// from SQLite's; ``JournalFile`` locks the journal under its other names.
final class JournalLock: Sendable {
    private let path: String
    private let file: CInt

    /// Takes the lock of the journal at `path`, which has no symbolic links.
    ///
    /// - Throws: ``JournalError`` with code `held`, naming the holder, or `notWritable`.
    init(journal path: String, shown: String) throws(JournalError) {
        self.path = path + "-lock"
        self.file = try Self.lock(self.path, shown: shown)
        // A pid is for people: failing to write it takes nothing from the lock.
        let pid = "\(getpid())\n"
        if ftruncate(file, 0) == 0 { _ = pwrite(file, pid, pid.utf8.count, 0) }
    }

    /// Gives the lock back and takes its file away; to be called once.
    func release() {
        // Unlinked while it is locked: whoever opened it before sees below that it is no longer the file of that name.
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

    /// The error for a second one.
    static func held(_ shown: String, by holder: Int?) -> JournalError {
        let who =
            switch holder {
            case .some(Int(getpid())): "This process (pid \(getpid())) has the journal \(shown) open already"
            case .some(let pid): "Another coordinator (pid \(pid)) has the journal \(shown) open"
            case nil: "Another coordinator has the journal \(shown) open"
            }
        return JournalError(.held, "\(who): stop it first, or choose another --journal FILE.")
    }

    /// The pid that a lock file holds.
    static func readPid(_ file: CInt) -> Int? {
        withUnsafeTemporaryAllocation(byteCount: 20, alignment: 1) { buffer in
            let count = pread(file, buffer.baseAddress, buffer.count, 0)
            guard count > 0 else { return nil }
            return Int(String(decoding: buffer[..<count].prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self))
        }
    }
}
