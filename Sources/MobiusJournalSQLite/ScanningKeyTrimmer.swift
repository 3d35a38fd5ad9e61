import MobiusJournal
import MobiusJournalTables

/// Deletes the oldest outside keys of loops that have too many, a few with each commit.
///
/// The table is ordered by key, not by age, so a scan has two passes. The first counts the keys by age. If they are
/// clearly too many, the second deletes those older than the newest `limit`. (The empty key is never scanned.)
struct ScanningKeyTrimmer: KeyTrimmer {
    private static let buckets = 4096

    private enum Phase {
        /// Counts the keys by age, up to the event `last`.
        case counting(counts: [Int], last: UInt64)
        /// Deletes the keys older than this event.
        case deleting(before: Int64)
        /// Deletes what the senders of those keys were told.
        case deletingReplies(before: Int64)
    }

    private struct Scan {
        let loop: Int64
        var phase: Phase
        var cursor: [UInt8] = []
    }

    private let limit: Int
    private let database: Database
    private var scans: [Scan] = []
    // The last event of each loop at its last scan.
    private var scanned: [Int64: UInt64] = [:]

    init(_ database: Database, limit: Int) {
        self.database = database
        self.limit = limit
    }

    var isIdle: Bool { scans.isEmpty }

    private var slack: Int { limit / 8 }

    /// Plans a scan if the loop may have too many keys, that is, if it has at least as many events.
    mutating func check(loop: Int64, last: UInt64) {
        guard last >= UInt64(limit), scanned[loop].map({ last - $0 > UInt64(slack) }) ?? true,
            !scans.contains(where: { $0.loop == loop })
        else { return }
        scanned[loop] = last
        let counts = [Int](repeating: 0, count: Self.buckets)
        scans.append(Scan(loop: loop, phase: .counting(counts: counts, last: last)))
    }

    /// The loop is being removed.
    mutating func forget(_ loop: Int64) {
        scans.removeAll { $0.loop == loop }
        scanned[loop] = nil
    }

    /// Continues at once, in the current transaction.
    mutating func step(_ budget: Int, _ commit: inout Commit) throws(JournalError) {
        try JournalError.translating(database.shown) { try step(budget) }
    }

    private mutating func step(_ budget: Int) throws {
        guard !scans.isEmpty else { return }
        // Removed from the array, so that the counts are not copied.
        var scan = scans.removeFirst()
        switch scan.phase {
        case .counting(var counts, let last):
            scan.phase = .deleting(before: 0)
            let isDone = try count(&counts, &scan.cursor, of: scan.loop, last: last, budget * 8)
            guard isDone else {
                scan.phase = .counting(counts: counts, last: last)
                break
            }
            guard let oldest = oldest(of: counts, last: last) else { return }
            scan.phase = .deleting(before: oldest)
            scan.cursor = []
        case .deleting(let before):
            if try delete(before, &scan.cursor, of: scan.loop, budget) {
                scan.phase = .deletingReplies(before: before)
            }
        case .deletingReplies(let before):
            guard try !deleteReplies(before, of: scan.loop, budget) else { return }
        }
        scans.insert(scan, at: 0)
    }

    /// Counts up to `budget` keys; returns whether none is left to count.
    private func count(
        _ counts: inout [Int], _ cursor: inout [UInt8], of loop: Int64, last: UInt64, _ budget: Int
    ) throws -> Bool {
        var found = 0
        var newest: [UInt8] = []
        try database.visit(
            "SELECT key, sequence FROM outside_keys WHERE shard = ? AND loop = ? AND key > ? ORDER BY key LIMIT ?",
            [Database.shard, loop, TextBytes(cursor), budget]
        ) { row in
            found += 1
            counts[Self.bucket(of: UInt64(bitPattern: row.number(1)), last)] += 1
            if found == budget { newest = Array(row.bytes(0)) }
            return true
        }
        cursor = newest
        return found < budget
    }

    /// Examines up to `budget` keys; returns whether none is left.
    private func delete(
        _ before: Int64, _ cursor: inout [UInt8], of loop: Int64, _ budget: Int
    ) throws -> Bool {
        let last = try database.first(
            "SELECT key FROM outside_keys WHERE shard = ? AND loop = ? AND key > ? ORDER BY key LIMIT 1 OFFSET ?",
            [Database.shard, loop, TextBytes(cursor), budget - 1]
        ) { Array($0.bytes(0)) }
        let bound = last == nil ? "" : "AND key <= ?5"
        try database.run(
            "DELETE FROM outside_keys WHERE shard = ?1 AND loop = ?2 AND key > ?3 AND sequence < ?4 \(bound)",
            [Database.shard, loop, TextBytes(cursor), before] + (last.map { [TextBytes($0)] } ?? []))
        cursor = last ?? []
        return last == nil
    }

    /// Deletes up to `budget` replies of events before `before`; returns whether none is left.
    private func deleteReplies(_ before: Int64, of loop: Int64, _ budget: Int) throws -> Bool {
        try database.run(
            """
            DELETE FROM replies WHERE shard = ?1 AND loop = ?2 AND sequence < min(?3, coalesce(
                (SELECT sequence FROM replies WHERE shard = ?1 AND loop = ?2 AND sequence < ?3
                    ORDER BY sequence LIMIT 1 OFFSET ?4), ?3))
            """, [Database.shard, loop, before, budget])
        return database.changes < budget
    }

    /// The bucket that counts an event.
    ///
    /// Events before the last stride, which a restore may have begun, share the first bucket.
    private static func bucket(of sequence: UInt64, _ last: UInt64) -> Int {
        Int((min(max(sequence, base(last)), last) - base(last)) / width(last))
    }

    private static func base(_ last: UInt64) -> UInt64 { last / RecordPlace.restoreStride * RecordPlace.restoreStride }

    /// The number of events per bucket.
    private static func width(_ last: UInt64) -> UInt64 { (last - base(last)) / UInt64(buckets) + 1 }

    /// The first event whose key is kept; `nil` unless the keys are clearly too many.
    private func oldest(of counts: [Int], last: UInt64) -> Int64? {
        guard counts.reduce(0, +) > limit + slack else { return nil }
        var kept = 0
        for index in counts.indices.reversed() {
            kept += counts[index]
            guard kept >= limit else { continue }
            guard index > 0 else { return nil }
            return Int64(bitPattern: Self.base(last) + UInt64(index) * Self.width(last))
        }
        return nil
    }
}
