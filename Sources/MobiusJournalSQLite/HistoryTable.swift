import MobiusJournal
import MobiusWire

/// The superseded segments of a journal that keeps a window of its history, in the order in which they were superseded.
///
/// A segment is all of a loop's records before a place, at which a snapshot stands; its row is deleted when the last of
/// them is. Journals of earlier programs get the table when they are opened.
enum HistoryTable {
    static let definition = """
        CREATE TABLE IF NOT EXISTS history (
            id INTEGER PRIMARY KEY, loop INTEGER NOT NULL, sequence INTEGER NOT NULL, part INTEGER NOT NULL,
            time INTEGER NOT NULL, checksum INTEGER NOT NULL);
        CREATE INDEX IF NOT EXISTS history_loop ON history (loop);
        """

    /// A row.
    struct Segment: Equatable {
        let id: Int64
        let loop: Int64
        /// The records before this place are the segment.
        let end: RecordPlace
        /// When it was superseded.
        let time: WallTime
    }

    static func insert(loop: Int64, end: RecordPlace, time: WallTime, _ database: Database) throws {
        try database.run(
            "INSERT INTO history (loop, sequence, part, time, checksum) VALUES (?, ?, ?, ?, ?)",
            [loop, end.sequence, end.part, time.milliseconds, checksum(loop: loop, end: end, time: time)])
    }

    /// The segment that was superseded first.
    static func oldest(_ database: Database, path: String) throws -> Segment? {
        try database.first("SELECT id, loop, sequence, part, time, checksum FROM history ORDER BY id LIMIT 1") { row in
            guard let part = UInt32(exactly: row.number(3)) else { throw corruptRow(path) }
            let segment = Segment(
                id: row.number(0), loop: row.number(1),
                end: RecordPlace(sequence: UInt64(bitPattern: row.number(2)), part: part),
                time: WallTime(milliseconds: row.number(4)))
            let sum = checksum(loop: segment.loop, end: segment.end, time: segment.time)
            guard row.number(5) == sum else { throw corruptRow(path) }
            return segment
        }
    }

    static func delete(_ segment: Segment, _ database: Database) throws {
        try database.run("DELETE FROM history WHERE id = ?", [segment.id])
    }

    /// The bytes of the file that are in use; SQLite knows them without reading.
    static func usedBytes(_ database: Database) throws -> Int64 {
        let pages = try database.number("PRAGMA page_count") - database.number("PRAGMA freelist_count")
        return try pages * database.number("PRAGMA page_size")
    }

    private static func checksum(loop: Int64, end: RecordPlace, time: WallTime) -> Int64 {
        var sum = RowChecksum()
        sum.add(loop)
        sum.add(end.sequence)
        sum.add(UInt64(end.part))
        sum.add(time.milliseconds)
        return sum.value
    }

    private static func corruptRow(_ path: String) -> JournalError {
        .damaged(path, "a row of the kept history is not what was written")
    }
}
