#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The folder of a Unix socket: users who may enter it may connect, so only its owner may enter it.
package enum SocketFolder {
    /// Makes the folder of an ipc endpoint (mode 0700) if it is missing, and refuses one that other users may enter.
    ///
    /// It ignores endpoints without a folder, such as `ipc://*`.
    ///
    /// - Throws: ``KeyError``, with the command that restricts the folder.
    package static func prepare(for endpoint: String) throws(KeyError) {
        guard endpoint.hasPrefix("ipc://"), !endpoint.hasPrefix("ipc://*"), !endpoint.hasPrefix("ipc://@") else {
            return
        }
        let path = endpoint.dropFirst("ipc://".count)
        let folder: String
        switch path.lastIndex(of: "/") {
        case nil: folder = "."
        case path.startIndex: folder = "/"
        case let end?: folder = String(path[..<end])
        }
        if mkdir(folder, 0o700) == 0 { return }
        var status = stat()
        // libzmq reports missing parent folders.
        guard stat(folder, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else { return }
        guard status.st_uid == geteuid() || status.st_uid == 0 else {
            throw KeyError(
                .exposed,
                "\(endpoint): the folder \(folder) belongs to another user, who could replace the socket there.")
        }
        guard status.st_mode & 0o077 == 0 else {
            let own = "choose a path in a folder of your own, such as ipc://\(folder == "/" ? "" : folder)/fleet/socket"
            throw KeyError(
                .exposed,
                "\(endpoint): others may enter the folder of this socket, which has no keys. Run: chmod 700 \(folder); or "
                    + "\(own), which is made if it is missing; or start with --keys.")
        }
    }
}
