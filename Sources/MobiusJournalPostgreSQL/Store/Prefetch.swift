#if PostgreSQL
    import MobiusJournal
    import MobiusJournalTables
    import MobiusWire

    /// Reads loops that are about to be recovered in blocks: two round trips for many loops, not a dozen for each.
    ///
    /// A block holds rows as the tables' own queries would return them, and the tables check and decode them alike. It is never
    /// stale: it is dropped before each commit, and only the store, the one writer of a shard, and readers of one pinned state
    /// announce loops.
    final class Prefetch {
        private var expected: [LoopID] = []
        // The first of them that was not read, and the first that is not in a block.
        private var (unread, next) = (0, 0)
        private var size = PrefetchPlan.maximumLoops
        private var rows: [Int64: PrefetchedLoop] = [:]
        private var block: [LoopID: PrefetchPlan.Loop] = [:]

        /// Announces the loops that are read next, in this order.
        func expect(_ loops: [LoopID]) {
            (expected, unread, size) = (loops, 0, PrefetchPlan.maximumLoops)
            drop()
        }

        /// Forgets the block, because the journal is about to be written.
        func drop() {
            rows.removeAll(keepingCapacity: true)
            block.removeAll(keepingCapacity: true)
            next = unread
        }

        /// The rows of the loop with this number, if the block has it.
        subscript(number: Int64) -> PrefetchedLoop? { rows[number] }

        /// The rows of a loop that is expected; reads the block that begins with it when it comes behind the present one.
        ///
        /// `nil` means that the loop must be read alone: it is too large, not expected, or there is none of this name.
        func rows(of loop: LoopID, shard: Int64, _ session: Session) throws(JournalError) -> PrefetchedLoop? {
            if block[loop] == nil, let index = expected[next...].firstIndex(of: loop) {
                drop()
                try load(from: index, shard: shard, session)
            }
            guard let found = block[loop] else { return nil }
            unread = found.index + 1
            return rows[found.number]
        }

        private func load(from first: Int, shard: Int64, _ session: Session) throws(JournalError) {
            let plan = try PrefetchPlan(expected[first...].prefix(size), shard: shard, session)
            (unread, next) = (first, plan.end)
            size = max(8, min(2 * (plan.end - first), PrefetchPlan.maximumLoops))
            guard !plan.loops.isEmpty else { return }
            let numbers = plan.loops.map(\.number)
            let withKeys = plan.loops.filter(\.hasKeys).map(\.number)
            let results = try session.read([
                Loops.reading(numbers, shard: shard),
                SnapshotTable.reading(numbers, shard: shard),
                RunTable.reading(numbers, from: plan.loops.map(\.begin), shard: shard),
                BegunLoopTable.reading(numbers, shard: shard),
                KeyTable.reading(withKeys, shard: shard),
            ])
            let parts = results.dropLast().map { $0.split(into: numbers.count) }
            let keys = Dictionary(zip(withKeys, results[4].split(into: withKeys.count))) { first, _ in first }
            for (index, loop) in plan.loops.enumerated() {
                block[expected[loop.index]] = loop
                rows[loop.number] = PrefetchedLoop(
                    loop: parts[0][index], snapshots: parts[1][index], runs: parts[2][index], begun: parts[3][index],
                    keys: keys[loop.number])
            }
        }
    }
#endif
