import Foundation
import MobiusCoordinator
import Synchronization

/// Remembers beside the journal whose outcome was told by a process that then ended by itself.
///
/// To tell the journal so would be too early: a process that is killed between that event and its end was killed in the
/// middle of its work for its caller, and the same command must tell the outcome again, not audit again.
struct SeenMark {
    private let path: String

    /// The mark beside this journal; `nil` without a journal.
    init?(_ journal: CoordinatorSettings.Journal) {
        guard case .file(let path) = journal else { return nil }
        self.path = path + "-seen"
    }

    /// The request that the mark names; `nil` when there is none.
    var request: String? {
        let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        guard let data = try? file.read(upToCount: 256) else { return nil }
        return String(decoding: data, as: UTF8.self)
    }

    /// Removes the mark; that there is none is as good.
    func remove() { unlink(path) }

    private static let last = Mutex<(path: String, request: String)?>(nil)

    /// Makes the mark as the last thing that this process does.
    func leaveAtExit(_ request: String) {
        Self.last.withLock { $0 = (path, request) }
        atexit {
            SeenMark.last.withLock { last in
                guard let last else { return }
                // Without it the outcome is told once more.
                try? Data(last.request.utf8).write(to: URL(fileURLWithPath: last.path), options: .atomic)
            }
        }
    }
}
