import MobiusJournal

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The lock on the journal's own file, independent of its name: two names of one file have two lock files.
///
/// It is a `flock`, which local file systems of Linux keep apart from the `fcntl` locks that SQLite takes on the same
/// file. Closing any descriptor of the file drops SQLite's locks, so this one is opened before SQLite's and closed
/// after it. Other systems do not keep the two kinds apart, so they use the lock file only.
final class JournalFile: Sendable {
    /// The network file system that the file is on; `nil` for a local one.
    let networkFileSystem: String?
    private let file: CInt
    private let path: JournalPath

    /// Opens or creates the file and locks it.
    ///
    /// - Throws: ``JournalError`` with code `notWritable`, or `held` with the holder's pid if the system reports it.
    init(_ path: JournalPath) throws(JournalError) {
        self.path = path
        file = try path.openFile()
        networkFileSystem = NetworkFileSystem.name(of: file)
        #if os(Linux)
            guard !NetworkFileSystem.sharesLocks(networkFileSystem) else { return }
            while flock(file, LOCK_EX | LOCK_NB) != 0 {
                let error = SystemError("flock")
                if error.number == EINTR { continue }
                // A file system without locks has none for the lock file either, so taking that lock has already
                // failed.
                guard error.number == EWOULDBLOCK else { return }
                let holder = Self.holder(of: file)
                close(file)
                throw JournalLock.held(path.shown, by: holder)
            }
        #endif
    }

    /// Fails when the path names another file by now.
    func requireName() throws(JournalError) {
        guard !Self.isNamed(file, path.path) else { return }
        throw JournalError(.held, "The journal \(path.shown) was replaced while it was opened: start again.")
    }

    /// Releases the lock; must be called once, after SQLite has closed the file.
    func release() {
        // Closing alone is not enough: a child forked by another thread holds the descriptor until it calls exec.
        flock(file, LOCK_UN)
        close(file)
    }

    /// Whether `path` is a name of the open file.
    static func isNamed(_ file: CInt, _ path: String) -> Bool {
        var mine = stat()
        var named = stat()
        guard fstat(file, &mine) == 0, stat(path, &named) == 0 else { return false }
        return mine.st_ino == named.st_ino && mine.st_dev == named.st_dev
    }

    #if os(Linux)
        /// The process that has locked the file, according to /proc/locks.
        private static func holder(of file: CInt) -> Int? {
            var status = stat()
            guard fstat(file, &status) == 0 else { return nil }
            // The system returns the list in pieces, so entries may be missing when it changes meanwhile.
            for _ in 0..<5 {
                if let pid = holder(of: UInt64(status.st_ino), on: Device(UInt64(status.st_dev))) { return pid }
            }
            return nil
        }

        private static func holder(of inode: UInt64, on device: Device) -> Int? {
            guard let locks = fopen("/proc/locks", "re") else { return nil }
            defer { fclose(locks) }
            return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { line in
                while let text = fgets(line.baseAddress, 256, locks) {
                    let words = String(cString: text).split(separator: " ")
                    guard words.count > 5, words[1] == "FLOCK" else { continue }
                    guard let colon = words[5].lastIndex(of: ":"), Device(words[5][..<colon], radix: 16) == device,
                        UInt64(words[5][words[5].index(after: colon)...]) == inode
                    else { continue }
                    // 0 and -1 stand for a process outside of this pid namespace.
                    return Int(words[4]).flatMap { $0 > 0 ? $0 : nil }
                }
                return nil
            }
        }
    #endif
}
