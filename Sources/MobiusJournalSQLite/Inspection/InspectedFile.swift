import CLibSQLite
import MobiusJournal

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A journal's file, opened by a tool for reading only; no other file is created or changed.
struct InspectedFile {
    /// The path without symbolic links.
    let path: String
    /// The path as the operator wrote it.
    let shown: String
    // The file's state when it was opened as immutable.
    private let stamp: Stamp?

    private struct Stamp: Equatable {
        let inode: UInt64
        let size: Int
        let seconds: Int
        let nanoseconds: Int
    }

    /// Finds the file.
    ///
    /// - Throws: ``JournalError`` with code `notReadable`.
    init(_ shown: String) throws(JournalError) {
        self.shown = shown
        guard let resolved = realpath(shown, nil) else {
            throw JournalError(
                .notReadable, "There is no journal \(shown): name the file of a journal.",
                underlying: SystemError("realpath"))
        }
        defer { free(resolved) }
        path = String(cString: resolved)
        // Not opened: closing it would drop SQLite's locks on it in this process.
        guard faccessat(AT_FDCWD, path, R_OK, AT_EACCESS) == 0 else {
            throw JournalError(
                .notReadable,
                "The journal \(shown) cannot be read: ask its owner for permission, or run this as its owner.",
                underlying: SystemError("access"))
        }
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size > 0 else {
            throw JournalError(
                .notReadable, "The file \(shown) is empty or not a regular file: name the file of a journal.")
        }
        // Without a log and a rollback journal beside it, no process has it open; reading it as immutable creates no
        // files.
        let isAtRest = Self.size(of: path + "-wal") == 0 && Self.size(of: path + "-journal") == 0
        stamp = isAtRest ? Self.stamp(of: path) : nil
    }

    /// Opens the file; every access must be followed by ``requireUnchanged()``.
    func open() throws -> Database {
        guard stamp != nil else {
            return try Database(path, shown: shown, SQLITE_OPEN_READONLY, busyMilliseconds: 5_000)
        }
        return try Database("file://\(escapedPath)?immutable=1", shown: shown, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI)
    }

    /// Fails when a process has written the file that was opened as immutable.
    func requireUnchanged() throws(JournalError) {
        guard let stamp, Self.stamp(of: path) != stamp else { return }
        throw JournalError(
            .held, "A coordinator has begun to write the journal \(shown) while it was read: run the command again.")
    }

    /// The pid in the lock file, if that process exists.
    var holder: Int? {
        let file = openFile(path + "-lock", O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard file >= 0 else { return nil }
        defer { close(file) }
        guard let pid = JournalLock.readPid(file), kill(pid_t(pid), 0) == 0 || errno == EPERM else { return nil }
        return pid
    }

    /// The size of the file and its log.
    var bytes: Int { Self.size(of: path) + Self.size(of: path + "-wal") }

    private var escapedPath: String {
        var escaped = ""
        for byte in path.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"), UInt8(ascii: "."), UInt8(ascii: "-"),
                UInt8(ascii: "_"):
                escaped.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                let digits = String(byte, radix: 16)
                escaped += digits.count == 1 ? "%0\(digits)" : "%\(digits)"
            }
        }
        return escaped
    }

    private static func stamp(of path: String) -> Stamp? {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        #if canImport(Darwin)
            let time = status.st_mtimespec
        #else
            let time = status.st_mtim
        #endif
        return Stamp(
            inode: UInt64(status.st_ino), size: Int(status.st_size), seconds: Int(time.tv_sec),
            nanoseconds: Int(time.tv_nsec))
    }

    private static func size(of path: String) -> Int {
        var status = stat()
        return stat(path, &status) == 0 ? Int(status.st_size) : 0
    }
}

// The system's `open`, which a method of that name hides.
private func openFile(_ path: String, _ flags: CInt) -> CInt { open(path, flags) }
