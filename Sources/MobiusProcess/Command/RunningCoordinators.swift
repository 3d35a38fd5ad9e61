import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The coordinators that this user runs on this machine and that accept clients.
///
/// Each has a file in a folder that only this user can write, and holds a lock on it until it ends, however it ends. The
/// folder is in `MOBIUS_RUNTIME_DIR` if that is set; otherwise in the first of `XDG_RUNTIME_DIR`, `TMPDIR` and `/tmp` that
/// can be written. All of these are searched.
package enum RunningCoordinators {
    /// A running coordinator.
    package struct Entry: Codable, Sendable, Hashable {
        /// The name of its program.
        package let program: String
        /// An endpoint at which this machine's clients reach it.
        package let endpoint: String
        /// Its process.
        package let pid: Int32
    }

    /// The announcement of one coordinator; it ends with this value, or with the process.
    package final class Announcement: Sendable {
        private let path: String
        private let descriptor: Int32

        fileprivate init(path: String, descriptor: Int32) {
            self.path = path
            self.descriptor = descriptor
        }

        deinit {
            unlink(path)
            close(descriptor)
        }
    }

    /// Announces this process.
    ///
    /// - Returns: `nil` when no folder can be written: then clients must be given the endpoint.
    package static func announce(
        program: String, endpoint: String, in environment: [String: String] = ProcessInfo.processInfo.environment
    ) -> Announcement? {
        let pid = getpid()
        let entry = Entry(program: program, endpoint: reachable(endpoint), pid: pid)
        guard let content = try? JSONEncoder().encode(entry) else { return nil }
        for folder in folders(in: environment) {
            mkdir(folder, 0o700)
            guard isOurs(folder) else { continue }
            // A number behind the process's: a process may run several coordinators.
            for number in 0..<100 {
                let path = "\(folder)/\(pid).\(number)"
                let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
                guard descriptor >= 0 else { break }
                guard flock(descriptor, LOCK_EX | LOCK_NB) == 0, isNamed(descriptor, path) else {
                    close(descriptor)
                    continue
                }
                ftruncate(descriptor, 0)
                let count = content.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, 0) }
                let announcement = Announcement(path: path, descriptor: descriptor)
                if count == content.count { return announcement }
                break
            }
        }
        return nil
    }

    /// All that run, sorted by program and process; files of processes that were killed are removed.
    package static func all(in environment: [String: String] = ProcessInfo.processInfo.environment) -> [Entry] {
        let found = Set(folders(in: environment)).filter(isOurs).flatMap { folder in
            let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
            return names.compactMap { entry(at: "\(folder)/\($0)") }
        }
        return Set(found).sorted { ($0.program, $0.pid) < ($1.program, $1.pid) }
    }

    private static func entry(at path: String) -> Entry? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        if flock(descriptor, LOCK_SH | LOCK_NB) == 0 {
            unlink(path)  // its process has ended
            return nil
        }
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = pread(descriptor, &bytes, bytes.count, 0)
        return try? JSONDecoder().decode(Entry.self, from: Data(bytes[..<max(0, count)]))
    }

    /// Whether the open file still has that name: a process that searches may have removed it before it was locked.
    private static func isNamed(_ descriptor: Int32, _ path: String) -> Bool {
        var (opened, named) = (stat(), stat())
        return fstat(descriptor, &opened) == 0 && lstat(path, &named) == 0 && opened.st_ino == named.st_ino
            && opened.st_dev == named.st_dev
    }

    private static func folders(in environment: [String: String]) -> [String] {
        FleetEnvironment.runtimeFolders(in: environment).filter { $0.hasPrefix("/") }
            .map { "\($0)/mobius-coordinators-\(geteuid())" }
    }

    /// Whether only this user can write the folder: in /tmp any user may create one of that name.
    private static func isOurs(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0 && status.st_uid == geteuid() && status.st_mode & S_IFMT == S_IFDIR
            && status.st_mode & 0o022 == 0
    }

    /// The endpoint as this machine's clients connect to it: not to all interfaces.
    private static func reachable(_ endpoint: String) -> String {
        for wildcard in ["tcp://0.0.0.0:", "tcp://*:", "tcp://[::]:"] where endpoint.hasPrefix(wildcard) {
            return "tcp://127.0.0.1:" + endpoint.dropFirst(wildcard.count)
        }
        return endpoint
    }
}
