import Foundation
import SiteAudit
import Synchronization

/// Which folders of parts this process is using: the system releases its locks when it is killed, which tells others.
final class FolderLocks: Sendable {
    static let shared = FolderLocks()

    private struct Lock {
        var folder: URL
        var descriptor: Int32
    }

    /// By the folder of the report: of those that this process wrote there the newest is in use.
    private let locks = Mutex<[String: Lock]>([:])

    /// Locks a folder; the first time it also removes all others in `directory` that no process uses.
    ///
    /// - Returns: whether the folder is still there: it was somebody's left-over until now.
    func hold(_ folder: URL, in directory: URL) throws -> Bool {
        try locks.withLock { locks in
            if let held = locks[directory.path], held.folder == folder, Self.isInPlace(held) { return true }
            if let old = locks.removeValue(forKey: directory.path) { close(old.descriptor) }
            let lock = Lock(folder: folder, descriptor: try Self.descriptor(of: folder))
            // Waits for nobody but one that removes it. A file system without locks has no left-overs removed.
            flock(lock.descriptor, LOCK_SH)
            guard Self.isInPlace(lock) else {
                close(lock.descriptor)
                return false
            }
            locks[directory.path] = lock
            Self.removeLeftOvers(in: directory, except: folder)
            return true
        }
    }

    /// Forgets a folder that is gone.
    func release(_ folder: URL, in directory: URL) {
        locks.withLock { locks in
            guard locks[directory.path]?.folder == folder, let old = locks.removeValue(forKey: directory.path) else {
                return
            }
            close(old.descriptor)
        }
    }

    /// Whether what was locked is still what stands at its path.
    private static func isInPlace(_ lock: Lock) -> Bool {
        var (ours, theirs) = (stat(), stat())
        return fstat(lock.descriptor, &ours) == 0 && stat(lock.folder.path, &theirs) == 0
            && ours.st_dev == theirs.st_dev && ours.st_ino == theirs.st_ino
    }

    private static func descriptor(of folder: URL) throws -> Int32 {
        let descriptor = open(folder.path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else { throw NSError(domain: NSPOSIXErrorDomain, code: Int(errno)) }
        return descriptor
    }

    private static func removeLeftOvers(in directory: URL, except folder: URL) {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: directory.path)) ?? []
        for name in names where name.hasPrefix(ReportPart.folderPrefix) && name != folder.lastPathComponent {
            let other = directory.appendingPathComponent(name, isDirectory: true)
            guard let descriptor = try? descriptor(of: other) else { continue }
            if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { try? FileManager.default.removeItem(at: other) }
            close(descriptor)
        }
    }
}
