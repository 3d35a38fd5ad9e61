import GRDB
import MobiusJournal

/// Forgets the oldest outside keys of loops that have too many, a few with each commit.
///
/// Keys are kept in the order of their letters, so it goes through them twice: it counts them by age, and where there are
/// clearly more than enough, it deletes those older than the newest `limit`. (The key that is empty it does not see.)
struct KeyTrimmer {
    private static let buckets = 4096

    private enum Phase {
        /// How many keys there are of each age, up to the event `last`.
        case counting(counts: [Int], last: UInt64)
        /// Keys older than this event go.
        case deleting(before: Int64)
    }

    private struct Scan {
        let loop: Int64
        var phase: Phase
        var passed: [UInt8] = []
    }

    private let limit: Int
    private var scans: [Scan] = []
    // The last event of each loop when it was scanned last.
    private var scanned: [Int64: UInt64] = [:]

    init(limit: Int) {
        self.limit = limit
    }

    var isIdle: Bool { scans.isEmpty }

    private var slack: Int { limit / 8 }

    /// Plans a scan when the loop may have too many keys: it has one event for each at least.
    mutating func check(loop: Int64, last: UInt64) {
        guard last >= UInt64(limit), scanned[loop].map({ last - $0 > UInt64(slack) }) ?? true,
            !scans.contains(where: { $0.loop == loop })
        else { return }
        scanned[loop] = last
        let counts = [Int](repeating: 0, count: Self.buckets)
        scans.append(Scan(loop: loop, phase: .counting(counts: counts, last: last)))
    }

    /// Goes on in the current transaction.
    mutating func step(_ budget: Int, _ database: Database) throws {
        guard !scans.isEmpty else { return }
        // Taken out, so that the counts are not copied.
        var scan = scans.removeFirst()
        switch scan.phase {
        case .counting(var counts, let last):
            scan.phase = .deleting(before: 0)
            let isDone = try count(&counts, &scan.passed, of: scan.loop, last: last, budget * 8, database)
            guard isDone else {
                scan.phase = .counting(counts: counts, last: last)
                break
            }
            guard let oldest = oldest(of: counts, last: last) else { return }
            scan.phase = .deleting(before: oldest)
            scan.passed = []
        case .deleting(let before):
            guard try !delete(before, &scan.passed, of: scan.loop, budget, database) else { return }
        }
        scans.insert(scan, at: 0)
    }

    /// Whether there was no key left to count.
    private func count(
        _ counts: inout [Int], _ passed: inout [UInt8], of loop: Int64, last: UInt64, _ budget: Int,
        _ database: Database
    ) throws -> Bool {
        let statement = try RawStatement(
            database, "SELECT key, sequence FROM outside_keys WHERE loop = ? AND key > ? ORDER BY key LIMIT ?")
        defer { statement.reset() }
        statement.bind(loop, 1)
        statement.bind(Int64(budget), 3)
        var found = 0
        var newest: [UInt8] = []
        try passed.withUnsafeBytes { passed in
            statement.bindText(passed, 2)
            while try statement.next() {
                found += 1
                let sequence = UInt64(bitPattern: statement.number(1))
                counts[Self.bucket(of: sequence, last)] += 1
                if found == budget { newest = Array(statement.bytes(0)) }
            }
        }
        passed = newest
        return found < budget
    }

    /// Whether there was no key left to look at.
    private func delete(
        _ before: Int64, _ passed: inout [UInt8], of loop: Int64, _ budget: Int, _ database: Database
    ) throws -> Bool {
        let end = try RawStatement(
            database, "SELECT key FROM outside_keys WHERE loop = ? AND key > ? ORDER BY key LIMIT 1 OFFSET ?")
        var last: [UInt8]?
        try passed.withUnsafeBytes { passed in
            defer { end.reset() }
            end.bind(loop, 1)
            end.bindText(passed, 2)
            end.bind(Int64(budget) - 1, 3)
            if try end.next() { last = Array(end.bytes(0)) }
        }
        let bound = last == nil ? "" : "AND key <= ?4"
        let statement = try RawStatement(
            database, "DELETE FROM outside_keys WHERE loop = ?1 AND key > ?2 AND sequence < ?3 \(bound)")
        defer { statement.reset() }
        statement.bind(loop, 1)
        statement.bind(before, 3)
        try passed.withUnsafeBytes { passed in
            statement.bindText(passed, 2)
            try (last ?? []).withUnsafeBytes { end in
                if last != nil { statement.bindText(end, 4) }
                try statement.run()
            }
        }
        passed = last ?? []
        return last == nil
    }

    /// Which bucket an event is counted in: those before the last stretch, which a restoration may have begun, share the
    /// first one.
    private static func bucket(of sequence: UInt64, _ last: UInt64) -> Int {
        Int((min(max(sequence, base(last)), last) - base(last)) / width(last))
    }

    private static func base(_ last: UInt64) -> UInt64 { last / RecordPlace.stretch * RecordPlace.stretch }

    /// How many events share a bucket.
    private static func width(_ last: UInt64) -> UInt64 { (last - base(last)) / UInt64(buckets) + 1 }

    /// The first event whose key is to be kept, if there are clearly too many; `nil` when there are not.
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
