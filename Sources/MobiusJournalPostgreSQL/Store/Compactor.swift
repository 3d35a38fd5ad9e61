#if PostgreSQL
    import MobiusJournal
    import MobiusWire

    /// Deletes records and keys that need not be kept, a few with each commit.
    ///
    /// PostgreSQL's vacuum makes the space free again.
    struct Compactor {
        private static let perRecord = 4
        private static let minimum = 64

        private struct Debt {
            let loop: LoopID
            let number: Int64
            /// Records before this place are deleted.
            let boundary: RecordPlace
        }

        // The first one is in progress; there is at most one per loop.
        private var debts: [Debt] = []
        private var trimmer: KeyTrimmer
        private let shard: Int64

        init(shard: Int64, limits: JournalLimits) {
            self.shard = shard
            trimmer = KeyTrimmer(shard: shard, limit: limits.outsideKeys)
        }

        /// Finds what earlier processes have left, without reading the loops one by one.
        mutating func resume(_ session: Session) throws(JournalError) {
            let rows = try session.read(
                """
                SELECT l.id, l.name, s.sequence, s.part FROM loops l CROSS JOIN LATERAL (
                    SELECT sequence, part FROM snapshots WHERE shard = l.shard AND loop = l.id
                    ORDER BY sequence DESC, part DESC, id DESC LIMIT 1 OFFSET 1
                ) s WHERE l.shard = $1 AND (s.sequence, s.part) > (l.first_sequence, l.first_part)
                """, [.number(shard)])
            for row in 0..<rows.rows {
                guard let loop = rows.text(row, 1).flatMap({ LoopID($0) }),
                    let sequence = UInt64(exactly: rows.number(row, 2)), let part = UInt32(exactly: rows.number(row, 3))
                else { continue }
                owe(loop, rows.number(row, 0), RecordPlace(sequence: sequence, part: part))
            }
        }

        /// Must be called before a snapshot of the loop is saved: the newest one until then is the older one after it.
        mutating func check(_ loop: LoopID, _ numbered: NumberedLoop, _ session: Session) throws(JournalError) {
            guard let last = numbered.last,
                let older = try SnapshotTable.place(loop: numbered.number, shard: shard, session)
            else { return }
            // The record at the snapshot stays, so that a loop always has a last record.
            if older > numbered.first { owe(loop, numbered.number, min(older, last)) }
            trimmer.check(loop: numbered.number, last: last.sequence)
        }

        private mutating func owe(_ loop: LoopID, _ number: Int64, _ boundary: RecordPlace) {
            debts.removeAll { $0.number == number }
            debts.append(Debt(loop: loop, number: number, boundary: boundary))
        }

        /// The loop of this number is being removed.
        mutating func forget(_ loop: Int64) {
            debts.removeAll { $0.number == loop }
            trimmer.forget(loop)
        }

        /// Adds deletions to a commit that has `written` records.
        mutating func step(
            _ written: Int, _ session: Session, loops: inout Loops, _ commit: inout Commit
        ) throws(JournalError) {
            let budget = max(Self.minimum, written * Self.perRecord)
            guard let debt = debts.first else {
                try trimmer.step(budget, session, &commit)
                return
            }
            guard let numbered = try loops.find(debt.loop, session) else {
                debts.removeFirst()
                return
            }
            let table = RunTable(shard: shard, loop: debt.number)
            let (first, isPaid) = try table.delete(before: debt.boundary, budget: budget, session, &commit)
            if isPaid { debts.removeFirst() }
            loops.setFirst(first, of: debt.loop, numbered, &commit)
        }
    }
#endif
