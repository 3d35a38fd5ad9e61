import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Socket folders left by launchers that were killed with SIGKILL.
///
/// A launcher holds a lock on its folder until it ends, however it ends. A folder is removed only while that lock is
/// held, and only if its name, owner and mode are those of a socket folder, it contains nothing but sockets, and no
/// process listens at any of them.
enum AbandonedFolders {
    /// Removes the abandoned folders in `parent`.
    static func remove(in parent: String) {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: parent)) ?? []
        for name in names
        where name.hasPrefix(RuntimeDirectory.prefix) && name.utf8.count == RuntimeDirectory.template.utf8.count {
            removeIfAbandoned("\(parent)/\(name)")
        }
    }

    /// Locks a folder; `nil` if another process has the lock, or has removed the folder meanwhile.
    static func lock(_ path: String) -> Int32? {
        let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        var (opened, named) = (stat(), stat())
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0, fstat(descriptor, &opened) == 0, lstat(path, &named) == 0,
            opened.st_ino == named.st_ino, opened.st_dev == named.st_dev
        else {
            close(descriptor)
            return nil
        }
        return descriptor
    }

    private static func removeIfAbandoned(_ path: String) {
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR, status.st_uid == geteuid(),
            status.st_mode & 0o777 == 0o700, let descriptor = lock(path)
        else { return }
        defer { close(descriptor) }
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: path), !names.isEmpty else { return }
        let sockets = names.map { "\(path)/\($0)" }
        guard sockets.allSatisfy(isDeadSocket) else { return }
        for socket in sockets { unlink(socket) }
        rmdir(path)
    }

    private static func isDeadSocket(_ path: String) -> Bool {
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK else { return false }
        do {
            close(try UnixSocket.connect(to: path))
            return false
        } catch {
            return (error as? SystemFailure)?.code == ECONNREFUSED
        }
    }
}
