#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Small files that are written atomically and with the right permissions.
enum KeyFile {
    /// The size limit: an allow-list has some hundred bytes per line.
    private static let largest = 4 << 20

    /// The users who may read a file.
    enum Audience {
        /// Its owner only: it contains a secret.
        case owner
        /// Anybody.
        case anybody
    }

    /// Reads a file whole, following links.
    ///
    /// A secret file must belong to this user and be unreadable for all others; or to root, and be readable for at most
    /// one group, as systemd's and Kubernetes' secrets are. No file may be writable for others.
    static func read(_ path: String, for audience: Audience, as what: String) throws(KeyError) -> String {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw KeyError(.file, "\(path): \(what) cannot be read: \(reason()).") }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else {
            throw KeyError(.file, "\(path): \(what) cannot be read: \(reason()).")
        }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw KeyError(.file, "\(path): \(what) must be a plain file.")
        }
        try check(status, for: audience, path, what)
        guard status.st_size <= largest else {
            throw KeyError(.malformed, "\(path): \(what) has \(status.st_size) bytes, which is too large.")
        }
        var bytes = [UInt8](repeating: 0, count: Int(status.st_size) + 1)
        var count = 0
        while count < bytes.count {
            let start = count
            let got = bytes.withUnsafeMutableBytes { buffer in
                systemRead(descriptor, buffer.baseAddress.map { $0 + start }, buffer.count - start)
            }
            if got < 0, errno == EINTR { continue }
            guard got >= 0 else { throw KeyError(.file, "\(path): \(what) cannot be read: \(reason()).") }
            if got == 0 { break }
            count += got
        }
        return String(decoding: bytes[..<count], as: UTF8.self)
    }

    private static func check(
        _ status: stat, for audience: Audience, _ path: String, _ what: String
    ) throws(KeyError) {
        let (mode, owner) = (status.st_mode & 0o777, status.st_uid)
        guard owner == geteuid() || owner == 0 else {
            throw KeyError(
                .exposed, "\(path): \(what) belongs to another user (\(owner)): it must belong to you, or to root.")
        }
        switch audience {
        case .anybody:
            guard mode & 0o022 == 0 else {
                throw KeyError(.exposed, "\(path): others may change \(what). Run: chmod go-w \(path)")
            }
        case .owner:
            let mayBe: mode_t = owner == geteuid() ? 0o700 : 0o740
            guard mode & ~mayBe & 0o777 == 0 else {
                throw KeyError(.exposed, "\(path): others may read \(what). Run: chmod 600 \(path)")
            }
        }
    }

    /// Writes a file atomically, replacing an existing one, and returns when it is on disk.
    static func write(_ text: String, to path: String, for audience: Audience, as what: String) throws(KeyError) {
        var name = Array("\(path).XXXXXX".utf8CString)
        let descriptor = mkstemp(&name)  // mode 0600
        guard descriptor >= 0 else { throw KeyError(.file, "\(path): \(what) cannot be written: \(reason()).") }
        var isDone = false
        defer {
            if !isDone { unlink(name) }
        }
        var text = text
        let isWritten =
            text.withUTF8 { systemWrite(descriptor, $0.baseAddress, $0.count) == $0.count }
            && (audience == .owner || fchmod(descriptor, 0o644) == 0)
            && fsync(descriptor) == 0
        let problem = isWritten ? "" : reason()
        close(descriptor)
        guard isWritten else { throw KeyError(.file, "\(path): \(what) cannot be written: \(problem).") }
        guard rename(name, path) == 0 else {
            throw KeyError(.file, "\(path): \(what) cannot be written: \(reason()).")
        }
        isDone = true
        synchronizeFolder(of: path)
    }

    /// The new name is on disk when the folder is synced; some file systems do not support that, which is ignored.
    private static func synchronizeFolder(of path: String) {
        let end = path.lastIndex(of: "/")
        let folder = end.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        let descriptor = open(folder, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        fsync(descriptor)
        close(descriptor)
    }

    /// The system's last error.
    static func reason() -> String { String(cString: strerror(errno)) }
}

// The system's functions, which the type's methods of the same names hide.
private func systemRead(_ descriptor: CInt, _ buffer: UnsafeMutableRawPointer?, _ count: Int) -> Int {
    read(descriptor, buffer, count)
}

private func systemWrite(_ descriptor: CInt, _ buffer: UnsafeRawPointer?, _ count: Int) -> Int {
    write(descriptor, buffer, count)
}
