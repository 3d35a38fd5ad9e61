#if PostgreSQL
    import MobiusJournal
    import MobiusJournalTables

    /// Deletes the oldest outside keys of loops that have too many, with their replies, a few with each commit.
    ///
    /// A scan goes back from the newest key until it has counted those that are kept, and then deletes all older ones.
    struct SortedKeyTrimmer: KeyTrimmer {
        private enum Phase {
            /// Counts keys from the newest back; those of this event and later ones are counted.
            case counting(before: Int64, kept: Int)
            /// Deletes the keys and replies of events before this one.
            case deleting(before: Int64)
        }

        private let shard: Int64
        private let limit: Int
        private let session: Session
        private var scans: [(loop: Int64, phase: Phase)] = []
        // The last event of each loop at its last scan.
        private var scanned: [Int64: UInt64] = [:]

        init(_ session: Session, shard: Int64, limit: Int) {
            self.session = session
            self.shard = shard
            self.limit = limit
        }

        var isIdle: Bool { scans.isEmpty }

        private var slack: UInt64 { UInt64(limit / 8) }

        /// Plans a scan if the loop may have too many keys, that is, if it has at least as many events.
        mutating func check(loop: Int64, last: UInt64) {
            guard last >= UInt64(limit), scanned[loop].map({ last - min(last, $0) > slack }) ?? true,
                !scans.contains(where: { $0.loop == loop })
            else { return }
            scanned[loop] = last
            scans.append((loop, .counting(before: .max, kept: 0)))
        }

        /// The loop is being removed.
        mutating func forget(_ loop: Int64) {
            scans.removeAll { $0.loop == loop }
            scanned[loop] = nil
        }

        /// Continues with about `budget` rows.
        mutating func step(_ budget: Int, _ commit: inout Commit) throws(JournalError) {
            guard let (loop, phase) = scans.first else { return }
            switch phase {
            case .counting(let before, let kept):
                let wanted = min(limit - kept, budget * 8)
                let row = try session.read(
                    """
                    SELECT sequence FROM outside_keys WHERE shard = $1 AND loop = $2 AND sequence < $3
                    ORDER BY sequence DESC OFFSET $4 LIMIT 1
                    """, [.number(shard), .number(loop), .number(before), .number(Int64(wanted - 1))])
                guard row.rows > 0 else {
                    scans.removeFirst()
                    return
                }
                let (oldest, count) = (row.number(0, 0), kept + wanted)
                scans[0].phase = count < limit ? .counting(before: oldest, kept: count) : .deleting(before: oldest)
            case .deleting(let before):
                let rest = try session.read(
                    """
                    SELECT 1 FROM outside_keys WHERE shard = $1 AND loop = $2 AND sequence < $3
                    UNION ALL SELECT 1 FROM replies WHERE shard = $1 AND loop = $2 AND sequence < $3 LIMIT 1
                    """, [.number(shard), .number(loop), .number(before)])
                guard rest.rows > 0 else {
                    scans.removeFirst()
                    return
                }
                delete(before, of: loop, budget, &commit)
            }
        }

        private func delete(_ before: Int64, of loop: Int64, _ budget: Int, _ commit: inout Commit) {
            let values: [SQLStatement.Value] = [
                .number(shard), .number(loop), .number(before), .number(Int64(budget)),
            ]
            commit.add(
                """
                DELETE FROM outside_keys WHERE ctid = ANY (ARRAY(
                    SELECT ctid FROM outside_keys WHERE shard = $1 AND loop = $2 AND sequence < $3
                    ORDER BY sequence LIMIT $4))
                """, values)
            commit.add(
                """
                DELETE FROM replies WHERE ctid = ANY (ARRAY(
                    SELECT ctid FROM replies WHERE shard = $1 AND loop = $2 AND sequence < $3
                    ORDER BY sequence LIMIT $4))
                """, values)
        }
    }
#endif
