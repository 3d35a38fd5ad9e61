import MobiusJournal
import MobiusJournalTables
import MobiusWire

/// Releases the segments of history that are beyond the journal's window, one after the other, to the ``Compactor``.
///
/// What a segment is, and when it may go, is decided by ``HistoryWindow``. Its time is that of events: nothing is deleted
/// while none are committed. A crash at any point leaves a segment that is there, or partly deleted and released again.
struct HistoryKeeper {
    let kept: KeptHistory
    /// The segment that goes next.
    private var oldest: HistoryTable.Segment?
    private var isReleased = false
    private var used: Int64 = 0
    /// The time of the newest event that this process has committed.
    private(set) var now: WallTime?
    /// Whether the oldest segment goes at the next step.
    private var isDue = false

    init(_ database: Database, kept: KeptHistory) throws {
        self.kept = kept
        try refresh(database)
    }

    /// Whether no segment is to be released now.
    var isIdle: Bool { !isDue || isReleased }

    /// Notes what is committed next: its time is the present.
    mutating func note(_ group: [[JournalRecord]]) {
        guard case .window(let window) = kept, window.age != nil, let time = group.newestTime else { return }
        now = max(time, now ?? time)
        if oldest != nil { decide() }
    }

    /// A loop was given a snapshot, so that recovery needs its records before the place `older` no more.
    mutating func supersede(_ loop: Int64, before older: RecordPlace, at time: WallTime, _ database: Database) throws {
        let last = try HistoryTable.greatest(shard: Database.shard, database)
        let segment = HistoryTable.Segment(id: last + 1, number: loop, loop: nil, end: older, time: time)
        try database.perform { HistoryTable.insert(segment, &$0) }
        guard !isReleased else { return }
        try refresh(database)
    }

    /// The segment whose records are to be deleted now, if one is due.
    mutating func release() -> HistoryTable.Segment? {
        guard isDue, !isReleased, let oldest else { return nil }
        isReleased = true
        return oldest
    }

    /// The records of the released segment are deleted.
    mutating func finish(_ database: Database) throws {
        guard isReleased, let oldest else { return }
        try database.perform { HistoryTable.delete(upTo: oldest.id, loop: oldest.number, &$0) }
        isReleased = false
        try refresh(database)
    }

    /// The loop is being removed, with its segments.
    mutating func forget(_ loop: Int64, _ database: Database) throws {
        guard oldest?.number == loop else { return }
        isReleased = false
        try refresh(database)
    }

    private mutating func refresh(_ database: Database) throws {
        guard kept != .all else { return }
        oldest = try HistoryTable.segments(after: 0, shard: Database.shard, limit: 1, database).first
        if oldest != nil { used = try HistoryTable.usedBytes(database) }
        decide()
    }

    private mutating func decide() {
        isDue =
            switch kept {
            // Segments that an earlier start has kept.
            case .needed: oldest != nil
            case .window(let window):
                oldest.map { window.releases(superseded: $0.time, now: now, used: used) } ?? false
            case .all: false
            }
    }
}

extension HistoryTable {
    /// The bytes of the file that are in use; SQLite knows them without reading.
    static func usedBytes(_ database: Database) throws -> Int64 {
        let pages = try database.number("PRAGMA page_count") - database.number("PRAGMA freelist_count")
        return try pages * database.number("PRAGMA page_size")
    }
}
