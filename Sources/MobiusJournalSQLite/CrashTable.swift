import MobiusJournal
import MobiusWire

/// The events on which `update` has crashed.
enum CrashTable {
    private static let columns =
        "loop, source, flags, replayed, kind, event, count, epoch, time, build, checksum"

    private enum Flag {
        static let event: Int64 = 1
        static let cut: Int64 = 2
        static let replayed: Int64 = 4
        static let dropped: Int64 = 8
    }

    /// Stores a crash in the current transaction; replaces an earlier one on the same event.
    static func put(_ crash: Crash, loop: Int64, _ database: Database, kinds: inout KindInterner) throws {
        let breadcrumb = crash.breadcrumb
        var flags: Int64 = breadcrumb.event == nil ? 0 : Flag.event
        if breadcrumb.isCut { flags |= Flag.cut }
        if breadcrumb.replayed != nil { flags |= Flag.replayed }
        if crash.isDropped { flags |= Flag.dropped }
        let kind = try breadcrumb.event.map { Int64(try kinds.number($0.kind, database)) } ?? 0
        try database.run(
            """
            INSERT INTO crashes (\(columns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (loop, source) DO UPDATE SET
                flags = excluded.flags, replayed = excluded.replayed, kind = excluded.kind, event = excluded.event,
                count = excluded.count, epoch = excluded.epoch, time = excluded.time, build = excluded.build,
                checksum = excluded.checksum
            """,
            [
                loop, breadcrumb.source.bytes, flags, breadcrumb.replayed ?? 0, kind, breadcrumb.event?.bytes ?? [],
                crash.count, crash.epoch, crash.time.milliseconds, crash.build,
                RowChecksum.crash(crash, loop: loop, flags: flags, kind: kind),
            ])
    }

    /// Removes the crash on one event.
    static func remove(_ source: SourceKey, loop: Int64, _ database: Database) throws {
        try database.run("DELETE FROM crashes WHERE loop = ? AND source = ?", [loop, source.bytes])
    }

    /// All crashes, in the order in which they were first stored.
    static func all(
        _ database: Database, loops: LoopInterner, kinds: KindInterner, path: String
    ) throws -> [Crash] {
        try database.rows("SELECT \(columns) FROM crashes ORDER BY id") { row in
            guard let loop = try loops.name(of: row.number(0), database) else {
                throw JournalError.damaged(path, "a crash is of an unknown loop")
            }
            return try current(row, of: loop, kinds: kinds, path: path)
        }
    }

    private static func current(
        _ statement: Statement, of loop: LoopID, kinds: KindInterner, path: String
    ) throws -> Crash {
        let (flags, kind) = (statement.number(2), statement.number(4))
        let source = try SourceKey(Array(statement.bytes(1)), of: loop)
        var event: Payload?
        if flags & Flag.event != 0 {
            event = Payload(kind: try kinds.kind(UInt64(bitPattern: kind)), bytes: Array(statement.bytes(5)))
        }
        let replayed = flags & Flag.replayed == 0 ? nil : UInt64(bitPattern: statement.number(3))
        let crash = Crash(
            breadcrumb: Breadcrumb(
                loop: loop, source: source, event: event, isCut: flags & Flag.cut != 0, replayed: replayed),
            count: Int(statement.number(6)), build: statement.text(9) ?? "",
            epoch: UInt64(bitPattern: statement.number(7)), time: WallTime(milliseconds: statement.number(8)),
            isDropped: flags & Flag.dropped != 0)
        guard RowChecksum.crash(crash, loop: statement.number(0), flags: flags, kind: kind) == statement.number(10)
        else {
            throw JournalError.damaged(path, "a crash of loop \(loop) is not what was written")
        }
        return crash
    }
}
