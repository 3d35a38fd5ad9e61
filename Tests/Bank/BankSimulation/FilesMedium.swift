import FaultyDisk
import Foundation
import MobiusJournal
import MobiusJournalSQLite
import MobiusTestKit

/// A journal in SQLite, on a disk that fails and loses its power as a seed says.
///
/// The process before an opening is gone as if it were killed: closing its store writes nothing.
final class FilesMedium: JournalMedium {
    private let folder: String
    private let disk: FaultyDisk
    private var store: SQLiteJournal?

    init(seed: UInt64) {
        let memory = "/dev/shm"  // a folder in memory, where the system has one: the faults are the seed's
        let parent = FileManager.default.fileExists(atPath: memory) ? memory : NSTemporaryDirectory()
        folder = "\(parent)/simulated-\(ProcessInfo.processInfo.processIdentifier)-\(UUID().uuidString)"
        disk = FaultyDisk(folder: folder, seed: seed)
    }

    deinit {
        end()
        try? FileManager.default.removeItem(atPath: folder)
    }

    func open() throws(JournalError) -> any JournalStore {
        do {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            end()
            if disk.draw(3) == 0 {
                try disk.cutPower()
                try? FileManager.default.removeItem(atPath: path + "-shm")
            }
        } catch {
            throw JournalError(.notWritable, "The folder of a simulated disk: \(error)")
        }
        let store = try SQLiteJournal(path: path, application: "simulated", build: "simulated")
        self.store = store
        return store
    }

    func failWrites() -> Bool {
        // Half of them leave everything in memory, and the others half of a page.
        disk.faults = disk.draw(2) == 0 ? FaultyDisk.Faults(sync: 1000) : FaultyDisk.Faults(write: 1000)
        return true
    }

    private var path: String { folder + "/journal" }

    private func end() {
        disk.faults = FaultyDisk.Faults(sync: 1000, write: 1000)
        store?.close()
        store = nil
        disk.faults = FaultyDisk.Faults()
    }
}
