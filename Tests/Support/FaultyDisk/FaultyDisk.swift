import CLibSQLite
import Foundation
import Glibc
import Synchronization

/// A disk under the databases of one folder whose power can fail, and whose syncs, writes, reads and locks do, by chance.
///
/// The files of the folder are what the page cache holds. What is on the disk itself is kept beside it: a sync that succeeds
/// brings what was written since the last one, and one that fails drops it, as Linux does: it is not written by a later sync
/// either, unless it is written again.
package final class FaultyDisk: @unchecked Sendable {
    // @unchecked: one test or simulation uses it from one thread at a time.

    /// How many of a thousand calls fail.
    package struct Faults {
        package var sync: Int
        package var write: Int
        package var read: Int
        package var lock: Int

        package init(sync: Int = 0, write: Int = 0, read: Int = 0, lock: Int = 0) {
            self.sync = sync
            self.write = write
            self.read = read
            self.lock = lock
        }
    }

    package var faults = Faults()
    /// Writes and syncs that were asked for.
    package private(set) var writes = 0
    private let folder: String
    private var disks: [String: Content] = [:]
    private var random: UInt64

    private struct Content {
        var durable: [UInt8] = []
        var dirty: Set<Int> = []
    }

    private static let sector = 512

    package init(folder: String, seed: UInt64) {
        self.folder = folder
        random = seed
        FaultyFiles.add(self, folder)
    }

    deinit { FaultyFiles.remove(folder) }

    /// A number below `limit`.
    package func draw(_ limit: Int) -> Int {
        random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int(random >> 33) % limit
    }

    func fails(_ rate: Int) -> Bool { rate > 0 && draw(1_000) < rate }

    func noteOpening(_ path: String) {
        if disks[path] == nil || !FileManager.default.fileExists(atPath: path) { disks[path] = Content() }
    }

    func noteWrite(_ path: String, _ offset: Int, _ count: Int) {
        writes += 1
        guard count > 0 else { return }
        disks[path, default: Content()].dirty.formUnion(offset / Self.sector...(offset + count - 1) / Self.sector)
    }

    /// Whether all that was written is on disk now.
    func sync(_ path: String) -> Bool {
        writes += 1
        let isSound = !fails(faults.sync)
        if isSound { store(path) { _ in true } }
        disks[path]?.dirty = []
        return isSound
    }

    private func store(_ path: String, _ isChosen: (Int) -> Bool) {
        let file = Glibc.open(path, O_RDONLY)
        guard file >= 0 else { return }
        defer { close(file) }
        let size = Int(lseek(file, 0, SEEK_END))
        // Taken out, so that it is changed in place.
        guard var content = disks.removeValue(forKey: path) else { return }
        if content.durable.count > size { content.durable.removeLast(content.durable.count - size) }
        for sector in content.dirty.sorted() where isChosen(sector) {
            let start = sector * Self.sector
            let end = min(start + Self.sector, size)
            guard start < end else { continue }
            if content.durable.count < end {
                content.durable += [UInt8](repeating: 0, count: end - content.durable.count)
            }
            content.durable.withUnsafeMutableBytes {
                let count = pread(file, $0.baseAddress?.advanced(by: start), end - start, off_t(start))
                precondition(count == end - start, "a sector of \(path) cannot be read")
            }
        }
        disks[path] = content
    }

    /// Leaves what is on the disk, and by chance some of what was not synced yet.
    package func cutPower() throws {
        for path in disks.keys {
            guard FileManager.default.fileExists(atPath: path) else { continue }
            if draw(2) == 0 { store(path) { _ in draw(2) == 0 } }
            try Data(disks[path]?.durable ?? []).write(to: URL(fileURLWithPath: path))
            disks[path]?.dirty = []
        }
    }
}

private struct OpenFaultyFile: @unchecked Sendable {
    // @unchecked: the methods never change, and the disk is used by its own test.
    let path: String
    let disk: FaultyDisk
    let system: UnsafePointer<sqlite3_io_methods>
}

/// Stands between SQLite and the system for the folders of faulty disks.
private enum FaultyFiles {
    private struct State: @unchecked Sendable {
        // @unchecked: only used under the lock, and the disks by their own tests.
        var disks: [String: Unmanaged<FaultyDisk>] = [:]
        var files: [UInt: OpenFaultyFile] = [:]
    }

    typealias OpenFile =
        @convention(c) (
            UnsafeMutablePointer<sqlite3_vfs>?, UnsafePointer<CChar>?, UnsafeMutablePointer<sqlite3_file>?, CInt,
            UnsafeMutablePointer<CInt>?
        ) -> CInt

    private static let state = Mutex(State())
    // Set once, before the first faulty disk is used.
    private static let systemOpen: OpenFile? = {
        guard let system = sqlite3_vfs_find(nil) else { return nil }
        let open = system.pointee.xOpen
        system.pointee.xOpen = { system, name, file, flags, outFlags in
            FaultyFiles.open(system, name, file, flags, outFlags)
        }
        return open
    }()

    static func add(_ disk: FaultyDisk, _ folder: String) {
        precondition(systemOpen != nil)
        state.withLock { $0.disks[folder] = .passUnretained(disk) }
    }

    static func remove(_ folder: String) { _ = state.withLock { $0.disks.removeValue(forKey: folder) } }

    private static func open(
        _ system: UnsafeMutablePointer<sqlite3_vfs>?, _ name: UnsafePointer<CChar>?,
        _ file: UnsafeMutablePointer<sqlite3_file>?, _ flags: CInt, _ outFlags: UnsafeMutablePointer<CInt>?
    ) -> CInt {
        let path = name.map { String(cString: $0) } ?? ""
        let disk = state.withLock { state in
            state.disks.first { path.hasPrefix($0.key + "/") }?.value.takeUnretainedValue()
        }
        disk?.noteOpening(path)
        let code = systemOpen?(system, name, file, flags, outFlags) ?? SQLITE_CANTOPEN
        guard let disk, let file, let methods = file.pointee.pMethods else { return code }
        let key = UInt(bitPattern: file)
        state.withLock { $0.files[key] = OpenFaultyFile(path: path, disk: disk, system: methods) }
        file.pointee.pMethods = wrap(methods)
        return code
    }

    private static func found(
        _ file: UnsafeMutablePointer<sqlite3_file>?
    ) -> (path: String, disk: FaultyDisk, system: sqlite3_io_methods) {
        let key = UInt(bitPattern: file)
        let found = state.withLock { $0.files[key] }
        guard let found else { preconditionFailure("a file that was not opened here") }
        return (found.path, found.disk, found.system.pointee)
    }

    /// The same methods, with chance before them; made anew for each file and kept, for tests open few.
    private static func wrap(_ system: UnsafePointer<sqlite3_io_methods>) -> UnsafePointer<sqlite3_io_methods> {
        let ours = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
        ours.initialize(to: system.pointee)
        ours.pointee.xClose = { file in
            let (_, _, system) = FaultyFiles.found(file)
            let code = system.xClose(file)
            let key = UInt(bitPattern: file)
            FaultyFiles.state.withLock { $0.files[key] = nil }
            return code
        }
        ours.pointee.xRead = { file, buffer, count, offset in
            let (_, disk, system) = FaultyFiles.found(file)
            return disk.fails(disk.faults.read) ? SQLITE_IOERR | 1 << 8 : system.xRead(file, buffer, count, offset)
        }
        ours.pointee.xWrite = { file, buffer, count, offset in
            let (path, disk, system) = FaultyFiles.found(file)
            // Half of it is there, as on a disk that is full.
            let fails = disk.fails(disk.faults.write)
            let written = fails ? count / 2 : count
            disk.noteWrite(path, Int(offset), Int(written))
            let code = system.xWrite(file, buffer, written, offset)
            return fails ? (disk.draw(2) == 0 ? SQLITE_FULL : SQLITE_IOERR | 3 << 8) : code
        }
        ours.pointee.xSync = { file, _ in
            let (path, disk, _) = FaultyFiles.found(file)
            return disk.sync(path) ? SQLITE_OK : SQLITE_IOERR | 4 << 8
        }
        ours.pointee.xLock = { file, level in
            let (_, disk, system) = FaultyFiles.found(file)
            return disk.fails(disk.faults.lock) ? SQLITE_BUSY : system.xLock(file, level)
        }
        // Otherwise SQLite reads around `xRead`.
        ours.pointee.xFetch = { _, _, _, address in
            address?.pointee = nil
            return SQLITE_OK
        }
        ours.pointee.xUnfetch = { _, _, _ in SQLITE_OK }
        return UnsafePointer(ours)
    }
}
