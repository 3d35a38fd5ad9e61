import GRDB
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
        let statement = try RawStatement(
            database, "INSERT INTO history (loop, sequence, part, time, checksum) VALUES (?, ?, ?, ?, ?)")
        defer { statement.reset() }
        statement.bind(loop, 1)
        statement.bind(Int64(bitPattern: end.sequence), 2)
        statement.bind(Int64(end.part), 3)
        statement.bind(time.milliseconds, 4)
        statement.bind(checksum(loop: loop, end: end, time: time), 5)
        try statement.run()
    }

    /// The segment that was superseded first.
    static func oldest(_ database: Database, path: String) throws -> Segment? {
        let statement = try RawStatement(
            database, "SELECT id, loop, sequence, part, time, checksum FROM history ORDER BY id LIMIT 1")
        defer { statement.reset() }
        guard try statement.next() else { return nil }
        guard let part = UInt32(exactly: statement.number(3)) else { throw corruptRow(path) }
        let segment = Segment(
            id: statement.number(0), loop: statement.number(1),
            end: RecordPlace(sequence: UInt64(bitPattern: statement.number(2)), part: part),
            time: WallTime(milliseconds: statement.number(4)))
        let sum = checksum(loop: segment.loop, end: segment.end, time: segment.time)
        guard statement.number(5) == sum else { throw corruptRow(path) }
        return segment
    }

    static func delete(_ segment: Segment, _ database: Database) throws {
        try database.cachedStatement(sql: "DELETE FROM history WHERE id = ?").execute(arguments: [segment.id])
    }

    /// The bytes of the file that are in use; SQLite knows them without reading.
    static func usedBytes(_ database: Database) throws -> Int64 {
        let pages = try JournalConnection.number(database, "PRAGMA page_count")
        let free = try JournalConnection.number(database, "PRAGMA freelist_count")
        return (pages - free) * (try JournalConnection.number(database, "PRAGMA page_size"))
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
