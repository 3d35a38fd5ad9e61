import CLibSQLite

/// A disk whose fsyncs fail, from some time on: it stands between SQLite and the system.
enum FailingDisk {
    // Set once before the journal is opened, and then used by the one thread that writes it.
    nonisolated(unsafe) private static var left = 0
    nonisolated(unsafe) private static var open: OpenFile?
    // SQLite's methods for databases and for logs are different ones.
    nonisolated(unsafe) private static var wrapped:
        [UnsafePointer<sqlite3_io_methods>: UnsafePointer<sqlite3_io_methods>] = [:]
    nonisolated(unsafe) private static var sync: (@convention(c) (UnsafeMutablePointer<sqlite3_file>?, CInt) -> CInt)?

    private typealias OpenFile =
        @convention(c) (
            UnsafeMutablePointer<sqlite3_vfs>?, UnsafePointer<CChar>?, UnsafeMutablePointer<sqlite3_file>?, CInt,
            UnsafeMutablePointer<CInt>?
        ) -> CInt

    /// Lets so many more fsyncs succeed in this process.
    static func fail(after count: Int) {
        left = count
        guard let system = sqlite3_vfs_find(nil) else { return }
        open = system.pointee.xOpen
        system.pointee.xOpen = { system, name, file, flags, outFlags in
            let code = FailingDisk.open?(system, name, file, flags, outFlags) ?? SQLITE_CANTOPEN
            if let file, let original = file.pointee.pMethods { file.pointee.pMethods = FailingDisk.wrap(original) }
            return code
        }
    }

    /// The same methods but for the one that fails.
    private static func wrap(_ original: UnsafePointer<sqlite3_io_methods>) -> UnsafePointer<sqlite3_io_methods> {
        if let ours = wrapped[original] { return ours }
        let ours = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
        ours.initialize(to: original.pointee)
        sync = original.pointee.xSync  // all have the same
        ours.pointee.xSync = { file, flags in
            // SQLITE_IOERR_FSYNC, which is a macro that Swift cannot read.
            guard FailingDisk.left > 0 else { return SQLITE_IOERR | 4 << 8 }
            FailingDisk.left -= 1
            return FailingDisk.sync?(file, flags) ?? SQLITE_IOERR
        }
        wrapped[original] = UnsafePointer(ours)
        return UnsafePointer(ours)
    }
}
