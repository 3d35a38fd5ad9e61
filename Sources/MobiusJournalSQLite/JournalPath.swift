import MobiusJournal

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The file that a journal path names, and the checks that are possible before SQLite opens it.
struct JournalPath {
    /// The absolute path without symbolic links, so that two names of one journal have one lock.
    let path: String
    /// The path as the operator wrote it, for messages.
    let shown: String

    /// Resolves the path.
    ///
    /// - Throws: ``JournalError`` with code `notWritable`; its message tells the operator what to do.
    init(_ shown: String) throws(JournalError) {
        self.shown = shown
        self.path = try Self.resolve(shown)
    }

    /// Fails when the file lost its content but not its write-ahead log.
    ///
    /// SQLite would treat the file as new and delete the log, and with it the committed records. Must be called with
    /// the lock held.
    func requireContentOfLog() throws(JournalError) {
        guard Self.size(of: path) == 0, Self.size(of: path + "-wal") > 0 else { return }
        throw JournalError(
            .damaged,
            "The journal \(shown) is empty, but \(shown)-wal beside it is not: restore the journal from a backup, or "
                + "move both away to begin anew.")
    }

    static func resolve(_ shown: String) throws(JournalError) -> String {
        guard !shown.isEmpty, !shown.utf8.contains(0) else {
            throw JournalError(.notWritable, "A journal needs a file name: choose a --journal FILE.")
        }
        var candidate = shown
        // Each iteration follows one link to a file that does not exist yet.
        for _ in 0..<40 {
            if let real = realPath(candidate) { return real }
            let (folder, name) = split(candidate)
            guard let realFolder = realPath(folder) else {
                throw JournalError(
                    .notWritable,
                    "The journal \(shown) cannot be made, because the folder \(folder) does not exist: make the folder "
                        + "or choose another --journal FILE.",
                    underlying: SystemError("realpath"))
            }
            guard name != "", name != ".", name != ".." else { break }
            let file = realFolder == "/" ? "/\(name)" : "\(realFolder)/\(name)"
            guard let target = linkTarget(file) else { return file }
            candidate = target.hasPrefix("/") ? target : "\(realFolder)/\(target)"
        }
        throw JournalError(.notWritable, "The journal \(shown) is not a file name: choose another --journal FILE.")
    }

    /// Opens the file for writing; creates it, readable by its owner only, if it does not exist.
    ///
    /// The system reports the reason of a failure more precisely than SQLite does.
    ///
    /// - Returns: The descriptor, which the caller closes when SQLite has closed the file.
    /// - Throws: ``JournalError`` with code `notWritable`; its message tells the operator what to do.
    func openFile() throws(JournalError) -> CInt {
        // O_NONBLOCK: a named pipe is rejected below instead of blocking the call.
        let file = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0o600)
        guard file >= 0 else {
            let error = SystemError("open")
            throw JournalError(
                .notWritable, "The journal \(shown) cannot be written: \(Self.advice(for: error.number)).",
                underlying: error)
        }
        do throws(JournalError) {
            try requireRegular(file)
        } catch {
            close(file)
            throw error
        }
        return file
    }

    private func requireRegular(_ file: CInt) throws(JournalError) {
        var status = stat()
        guard fstat(file, &status) == 0 else {
            throw JournalError(
                .notWritable, "The journal \(shown) cannot be examined: choose another --journal FILE.",
                underlying: SystemError("fstat"))
        }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw JournalError(
                .notWritable, "The journal \(shown) is not a regular file: choose another --journal FILE.")
        }
    }

    /// Returns the advice to the operator about a system error.
    static func advice(for number: CInt) -> String {
        switch number {
        case EISDIR: "it is a folder, so name a file in it with --journal FILE"
        case EACCES, EPERM: "give this user permission to write it and its folder, or choose another --journal FILE"
        case EROFS: "its file system is read-only, so choose another --journal FILE"
        case ENOSPC, EDQUOT: "the disk is full, so make room or choose another --journal FILE"
        default: "choose another --journal FILE"
        }
    }

    private static func split(_ path: String) -> (folder: String, name: String) {
        guard let slash = path.lastIndex(of: "/") else { return (".", path) }
        let folder = slash == path.startIndex ? "/" : String(path[..<slash])
        return (folder, String(path[path.index(after: slash)...]))
    }

    private static func realPath(_ path: String) -> String? {
        guard let resolved = realpath(path, nil) else { return nil }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    private static func linkTarget(_ path: String) -> String? {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(PATH_MAX)) { buffer in
            guard let address = buffer.baseAddress else { return nil }
            let count = readlink(path, address, buffer.count)
            guard count > 0 else { return nil }
            return String(decoding: buffer[..<count].lazy.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        }
    }

    static func size(of path: String) -> Int {
        var status = stat()
        return stat(path, &status) == 0 ? Int(status.st_size) : 0
    }
}
