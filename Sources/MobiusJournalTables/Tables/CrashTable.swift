package import MobiusJournal
import MobiusWire

/// The events on which `update` has crashed.
package enum CrashTable {
    private enum Flag {
        static let event: Int64 = 1
        static let cut: Int64 = 2
        static let replayed: Int64 = 4
        static let dropped: Int64 = 8
    }

    /// A crash and the id of its row.
    package struct Row {
        package let id: Int64
        package let loop: Int64
        package let crash: Crash
    }

    /// Stores a crash; replaces the one of the row `id`.
    package static func put(_ crash: Crash, id: Int64?, loop: Int64, kinds: inout Kinds, _ commit: inout Commit) {
        let breadcrumb = crash.breadcrumb
        var flags: Int64 = breadcrumb.event == nil ? 0 : Flag.event
        if breadcrumb.isCut { flags |= Flag.cut }
        if breadcrumb.replayed != nil { flags |= Flag.replayed }
        if crash.isDropped { flags |= Flag.dropped }
        let kind = breadcrumb.event.map { Int64(kinds.number($0.kind, &commit)) } ?? 0
        let values: [SQLStatement.Value] = [
            .number(commit.shard), .number(loop), .bytes(breadcrumb.source.bytes), .number(flags),
            .bits(breadcrumb.replayed ?? 0), .number(kind), .bytes(breadcrumb.event?.bytes ?? []),
            .number(Int64(crash.count)), .bits(crash.epoch), .number(crash.time.milliseconds), .text(crash.build),
            .number(RowChecksum.crash(crash, loop: loop, flags: flags, kind: kind)),
        ]
        if let id {
            commit.add(
                """
                UPDATE crashes SET loop = $2, source = $3, flags = $4, replayed = $5, kind = $6, event = $7,
                    count = $8, epoch = $9, time = $10, build = $11, checksum = $12
                WHERE shard = $1 AND id = $13
                """, values + [.number(id)])
        } else {
            commit.add(
                """
                INSERT INTO crashes (shard, loop, source, flags, replayed, kind, event, count, epoch, time, build,
                    checksum, id)
                SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, coalesce(max(id), 0) + 1
                FROM crashes WHERE shard = $1
                """, values)
        }
    }

    /// Removes a row.
    package static func remove(_ id: Int64, _ commit: inout Commit) {
        commit.add("DELETE FROM crashes WHERE shard = $1 AND id = $2", [.number(commit.shard), .number(id)])
    }

    /// All crashes, in the order in which they were first stored.
    package static func all(shard: Int64, kinds: Kinds, _ session: any JournalDatabase) throws(JournalError) -> [Row] {
        let rows = try session.read(
            """
            SELECT c.loop, c.source, c.flags, c.replayed, c.kind, c.event, c.count, c.epoch, c.time, c.build,
                c.checksum, c.id, l.name
            FROM crashes c LEFT JOIN loops l ON l.shard = c.shard AND l.id = c.loop
            WHERE c.shard = $1 ORDER BY c.id
            """, [.number(shard)])
        var found: [Row] = []
        for row in 0..<rows.rows {
            guard let loop = rows.text(row, 12).flatMap({ LoopID($0) }) else {
                throw JournalError.damaged(session.shown, "a crash is of an unknown loop")
            }
            let crash = try crash(rows, row, of: loop, kinds: kinds, session)
            found.append(Row(id: rows.number(row, 11), loop: rows.number(row, 0), crash: crash))
        }
        return found
    }

    private static func crash(
        _ rows: Rows, _ row: Int, of loop: LoopID, kinds: Kinds, _ session: any JournalDatabase
    ) throws(JournalError) -> Crash {
        let (flags, kind) = (rows.number(row, 2), rows.number(row, 4))
        let source = try SourceKey(rows.array(row, 1), of: loop)
        var event: Payload?
        if flags & Flag.event != 0 { event = Payload(kind: try kinds.kind(kind), bytes: rows.array(row, 5)) }
        let replayed = flags & Flag.replayed == 0 ? nil : UInt64(bitPattern: rows.number(row, 3))
        let crash = Crash(
            breadcrumb: Breadcrumb(
                loop: loop, source: source, event: event, isCut: flags & Flag.cut != 0, replayed: replayed),
            count: Int(rows.number(row, 6)), build: rows.text(row, 9) ?? "",
            epoch: UInt64(bitPattern: rows.number(row, 7)), time: WallTime(milliseconds: rows.number(row, 8)),
            isDropped: flags & Flag.dropped != 0)
        let sum = RowChecksum.crash(crash, loop: rows.number(row, 0), flags: flags, kind: kind)
        guard sum == rows.number(row, 10) else {
            throw JournalError.damaged(session.shown, "a crash of loop \(loop) is not what was written")
        }
        return crash
    }
}
