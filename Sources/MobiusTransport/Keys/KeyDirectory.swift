#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The folder with a coordinator's keys: `coordinator.key`, which is secret, `coordinator.pub`, and `allowed`, the allow-list.
///
/// A folder that other users may write is refused, for reading and for writing: they could replace the allow-list.
package struct KeyDirectory: Hashable, Sendable {
    package let path: String

    /// Names a folder, which need not exist.
    package init(_ path: String) {
        self.path = path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
    }

    /// The allow-list's path.
    package var allowListPath: String { path + "/allowed" }
    private var secretPath: String { path + "/coordinator.key" }
    private var publicPath: String { path + "/coordinator.pub" }

    /// The default path of a peer's key.
    package func path(ofKey name: String) -> String { "\(path)/\(name).key" }

    /// The default path of a peer's token.
    package func path(ofToken name: String) -> String { "\(path)/\(name).token" }

    // MARK: - What a coordinator reads

    /// The coordinator's key pair.
    ///
    /// - Throws: ``KeyError``, with the command that makes one if there is none.
    package func pair() throws(KeyError) -> CurveKeyPair {
        guard access(path, F_OK) == 0, access(secretPath, F_OK) == 0 || errno != ENOENT else {
            throw KeyError(
                .file, "\(path) has no keys of a coordinator. Make them: \(Self.makingKeys(in: path))")
        }
        try checkFolder()
        let text = try KeyFile.read(secretPath, for: .owner, as: "the coordinator's key")
        return try KeyFields(text, path: secretPath, names: ["public", "secret"]).pair()
    }

    /// The allow-list as it is now.
    ///
    /// - Throws: ``KeyError``.
    package func allowList() throws(KeyError) -> AllowList {
        try checkFolder()
        let text = try KeyFile.read(allowListPath, for: .anybody, as: "the allow-list")
        return try AllowList(text: text, path: allowListPath)
    }

    /// Changes whenever the allow-list may have; `nil` while it cannot be read.
    package var allowListStamp: FileStamp? { FileStamp(allowListPath) }

    /// The command that makes a folder of keys.
    static func makingKeys(in path: String) -> String { "mobius keys new NAME --worker POOL --keys \(path)" }

    /// Refuses a folder in which other users may replace files.
    ///
    /// A folder of root with the sticky bit is accepted: Kubernetes mounts Secrets in this way.
    private func checkFolder() throws(KeyError) {
        var status = stat()
        guard stat(path, &status) == 0 else {
            throw KeyError(.file, "\(path): the folder of keys cannot be read: \(KeyFile.reason()).")
        }
        guard status.st_uid == geteuid() || status.st_uid == 0 else {
            throw KeyError(
                .exposed,
                "\(path): the folder of keys belongs to another user (\(status.st_uid)), who could replace them: it must "
                    + "belong to you, or to root. Choose another with --keys.")
        }
        let isSticky = status.st_mode & 0o1000 != 0 && status.st_uid == 0
        guard status.st_mode & 0o022 == 0 || isSticky else {
            throw KeyError(.exposed, "\(path): others may change the folder of keys. Run: chmod go-w \(path)")
        }
    }

    // MARK: - What `mobius keys` does

    /// Makes a key for a peer and adds it to the allow-list; the first call also makes the folder and the coordinator's
    /// pair.
    ///
    /// The file is on disk before the allow-list names the key. Several processes may add keys at a time.
    ///
    /// - Parameter file: The path of the key.
    package func add(_ name: String, _ rights: Rights, file: String) throws(KeyError) -> PeerKey {
        try withLock { () throws(KeyError) in
            let coordinator = try pairToKeep()
            var list = access(allowListPath, F_OK) == 0 ? try allowList() : AllowList()
            let pair: CurveKeyPair
            do {
                pair = try CurveKeyPair.generate()
            } catch {
                throw KeyError(.file, "\(error)")
            }
            try list.add(AllowList.Entry(name: name, publicKey: pair.publicKey, rights: rights))
            try Self.checkIsFree(file)
            let key = PeerKey(name: name, pair: pair, coordinator: coordinator.publicKey)
            try KeyFile.write(key.text, to: file, for: .owner, as: "the key")
            try KeyFile.write(list.text, to: allowListPath, for: .anybody, as: "the allow-list")
            return key
        }
    }

    /// Makes a token for HTTP and adds its hash to the allow-list; the token itself is in the file only.
    ///
    /// Like ``add(_:_:file:)`` otherwise.
    ///
    /// - Returns: the entry in the allow-list.
    package func addToken(
        _ name: String, _ rights: Set<Rights.Client>, file: String
    ) throws(KeyError) -> AllowList.Entry {
        try withLock { () throws(KeyError) in
            _ = try pairToKeep()
            var list = access(allowListPath, F_OK) == 0 ? try allowList() : AllowList()
            let token = TokenHash.newToken()
            let entry = AllowList.Entry(
                name: name, publicKey: TokenHash(of: token).text, rights: Rights(client: rights))
            try list.add(entry)
            try Self.checkIsFree(file)
            try KeyFile.write(token + "\n", to: file, for: .owner, as: "the token")
            try KeyFile.write(list.text, to: allowListPath, for: .anybody, as: "the allow-list")
            return entry
        }
    }

    private static func checkIsFree(_ file: String) throws(KeyError) {
        guard access(file, F_OK) != 0 else {
            throw KeyError(.exists, "\(file) exists: remove it, or choose another place with --output.")
        }
    }

    /// Removes a peer from the allow-list, and its file from this folder.
    package func revoke(_ name: String) throws(KeyError) -> AllowList.Entry {
        try withLock { () throws(KeyError) in
            var list = try allowList()
            let entry = try list.remove(name)
            try KeyFile.write(list.text, to: allowListPath, for: .anybody, as: "the allow-list")
            unlink(entry.isToken ? path(ofToken: name) : path(ofKey: name))
            return entry
        }
    }

    private func pairToKeep() throws(KeyError) -> CurveKeyPair {
        if access(secretPath, F_OK) == 0 { return try pair() }
        let pair: CurveKeyPair
        do {
            pair = try CurveKeyPair.generate()
        } catch {
            throw KeyError(.file, "\(error)")
        }
        let text = """
            # Mobius Fleet: the key of the coordinator. Secret: whoever has this file can pose as the coordinator.
            public  \(pair.publicKey)
            secret  \(pair.secretKey)

            """
        try KeyFile.write(text, to: secretPath, for: .owner, as: "the coordinator's key")
        try KeyFile.write(pair.publicKey + "\n", to: publicPath, for: .anybody, as: "the coordinator's public key")
        return pair
    }

    /// One edit at a time, of all processes.
    private func withLock<Value>(_ body: () throws(KeyError) -> Value) throws(KeyError) -> Value {
        guard mkdir(path, 0o700) == 0 || errno == EEXIST else {
            throw KeyError(.file, "\(path): the folder cannot be made: \(KeyFile.reason()).")
        }
        let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw KeyError(.file, "\(path): the folder cannot be opened: \(KeyFile.reason()).")
        }
        defer { close(descriptor) }
        try checkFolder()
        while flock(descriptor, LOCK_EX) != 0 {
            guard errno == EINTR else { throw KeyError(.file, "\(path): cannot be locked: \(KeyFile.reason()).") }
        }
        return try body()
    }
}

/// Identifies a state of a file: its inode number, size and time, with links followed.
package struct FileStamp: Hashable, Sendable {
    private let device: UInt64
    private let number: UInt64
    private let size: Int64
    private let seconds: Int
    private let nanoseconds: Int

    init?(_ path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        device = UInt64(truncatingIfNeeded: status.st_dev)
        number = UInt64(status.st_ino)
        size = Int64(status.st_size)
        #if canImport(Darwin)
            (seconds, nanoseconds) = (status.st_mtimespec.tv_sec, status.st_mtimespec.tv_nsec)
        #else
            (seconds, nanoseconds) = (status.st_mtim.tv_sec, status.st_mtim.tv_nsec)
        #endif
    }
}
