package import MobiusJournal
package import MobiusWire

/// The superseded segments of a journal that keeps a window of its history, in the order in which they were superseded.
///
/// A segment is all of a loop's records before a place, at which a snapshot stands; its row is deleted when the last of
/// them is.
package enum HistoryTable {
    /// The most rows of a page.
    package static let page = 64

    /// A row.
    package struct Segment: Equatable {
        package let id: Int64
        /// The loop's number.
        package let number: Int64
        /// The loop's name; `nil` when it was removed.
        package let loop: LoopID?
        /// The records before this place are the segment.
        package let end: RecordPlace
        /// The time at which it was superseded.
        package let time: WallTime

        /// Makes a row.
        package init(id: Int64, number: Int64, loop: LoopID?, end: RecordPlace, time: WallTime) {
            (self.id, self.number, self.loop, self.end, self.time) = (id, number, loop, end, time)
        }
    }

    package static func insert(_ segment: Segment, _ commit: inout Commit) {
        commit.add(
            "INSERT INTO history (shard, id, loop, sequence, part, time, checksum) VALUES ($1, $2, $3, $4, $5, $6, $7)",
            [
                .number(commit.shard), .number(segment.id), .number(segment.number), .bits(segment.end.sequence),
                .number(Int64(segment.end.part)), .number(segment.time.milliseconds), .number(checksum(segment)),
            ])
    }

    /// Deletes a loop's segments up to one.
    package static func delete(upTo id: Int64, loop: Int64, _ commit: inout Commit) {
        commit.add(
            "DELETE FROM history WHERE shard = $1 AND loop = $2 AND id <= $3",
            [.number(commit.shard), .number(loop), .number(id)])
    }

    /// The greatest number of a segment; 0 when there is none.
    package static func greatest(shard: Int64, _ session: any JournalDatabase) throws(JournalError) -> Int64 {
        try session.read("SELECT coalesce(max(id), 0) FROM history WHERE shard = $1", [.number(shard)]).number(0, 0)
    }

    /// The first segments after the number `id`, a page at most.
    package static func segments(
        after id: Int64, shard: Int64, limit: Int = page, _ session: any JournalDatabase
    ) throws(JournalError) -> [Segment] {
        let rows = try session.read(
            """
            SELECT h.id, h.loop, h.sequence, h.part, h.time, h.checksum, l.name FROM history h
            LEFT JOIN loops l ON l.shard = h.shard AND l.id = h.loop
            WHERE h.shard = $1 AND h.id > $2 ORDER BY h.id LIMIT $3
            """, [.number(shard), .number(id), .number(Int64(limit))])
        var segments: [Segment] = []
        for row in 0..<rows.rows {
            guard let part = UInt32(exactly: rows.number(row, 3)) else { throw damaged(session) }
            let segment = Segment(
                id: rows.number(row, 0), number: rows.number(row, 1),
                loop: rows.isNull(row, 6) ? nil : rows.text(row, 6).flatMap { LoopID($0) },
                end: RecordPlace(sequence: UInt64(bitPattern: rows.number(row, 2)), part: part),
                time: WallTime(milliseconds: rows.number(row, 4)))
            guard checksum(segment) == rows.number(row, 5) else { throw damaged(session) }
            segments.append(segment)
        }
        return segments
    }

    /// Reads all rows, and fails when one is not what was written.
    package static func check(shard: Int64, _ session: any JournalDatabase) throws(JournalError) {
        var last: Int64 = 0
        while let next = try segments(after: last, shard: shard, session).last { last = next.id }
    }

    private static func checksum(_ segment: Segment) -> Int64 {
        var sum = RowChecksum()
        sum.add(segment.number)
        sum.add(segment.end.sequence)
        sum.add(UInt64(segment.end.part))
        sum.add(segment.time.milliseconds)
        return sum.value
    }

    private static func damaged(_ session: any JournalDatabase) -> JournalError {
        .damaged(session.shown, "a row of the kept history is not what was written")
    }
}
