#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Sockets of this machine that have a path.
package enum LocalSocket {
    /// Whether a socket may exist at an endpoint: false for a path such as `ipc:///run/fleet-client` without a file.
    ///
    /// True for any other endpoint, and if the path may not be searched.
    package static func mayExist(at endpoint: String) -> Bool {
        let scheme = "ipc://"
        // A name that begins with @ has no file.
        guard endpoint.hasPrefix(scheme), !endpoint.hasPrefix(scheme + "@") else { return true }
        var status = stat()
        guard lstat(String(endpoint.dropFirst(scheme.count)), &status) != 0 else { return true }
        return errno != ENOENT && errno != ENOTDIR
    }
}
