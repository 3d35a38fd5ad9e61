package import MobiusJournal
package import MobiusJournalTables
package import MobiusWire

/// A journal in a ``PlainDatabase``.
package final class PlainJournal: TableJournal, JournalStore, @unchecked Sendable {
    // @unchecked: calls come from one thread at a time.

    package let epoch: UInt64
    private let build: String
    private let database: PlainDatabase
    private var writer: TableWriter

    /// Begins the next epoch.
    package init(
        _ database: PlainDatabase, build: String, history: KeptHistory = .needed, limits: JournalLimits = .standard
    ) throws(JournalError) {
        self.build = build
        epoch = UInt64(database.epochs(shard: PlainDatabase.shard).last?.epoch ?? 0) + 1
        _ = database.rows(
            SQLStatement(
                "INSERT INTO epochs (shard, epoch, build) VALUES ($1, $2, $3)",
                [.number(PlainDatabase.shard), .bits(epoch), .text(build)]))
        database.contents = try Contents(shard: PlainDatabase.shard, database)
        writer = try TableWriter(
            shard: PlainDatabase.shard, epoch: epoch, limits: limits, history: history, database)
        self.database = database
        super.init(identity: database.identity, database)
    }

    /// Gathers a transaction and commits it.
    @discardableResult
    private func write(
        _ body: (inout Contents, inout Commit) throws(JournalError) -> Void
    ) throws(JournalError) -> [Rows] {
        guard var contents = database.contents else { preconditionFailure("This journal is closed.") }
        var commit = Commit(shard: PlainDatabase.shard)
        try body(&contents, &commit)
        contents.loops.saveTotals(&commit)
        _ = database.rows(SQLStatement("BEGIN"))
        let results = commit.statements.map { database.rows($0) }
        _ = database.rows(SQLStatement("COMMIT"))
        writer.grow(by: commit.growth(results))
        database.contents = contents
        return results
    }

    package func commit(group: [[JournalRecord]], facts: [FactChange]) throws(JournalError) {
        guard group.contains(where: { !$0.isEmpty }) else { return }
        try write { contents, commit throws(JournalError) in
            try writer.note(group, database)
            try writer.write(group, facts, database, contents: &contents, &commit)
        }
    }

    package func save(_ snapshot: Snapshot) throws(JournalError) { try park([], [snapshot]) }

    package func park(_ loops: [IdleLoop], _ snapshots: [Snapshot]) throws(JournalError) {
        guard !loops.isEmpty || !snapshots.isEmpty else { return }
        try write { contents, commit throws(JournalError) in
            try writer.note([], database)
            try writer.park(loops, snapshots, database, contents: &contents, &commit)
        }
    }

    package func rebuild(_ facts: [RebuiltFacts], step: FactStep?) throws(JournalError) {
        try write { contents, commit throws(JournalError) in
            try FactTable.rebuild(
                facts, step, epoch: epoch, build: build, database, loops: &contents.loops, &commit)
        }
    }

    package func factProgress() throws(JournalError) -> FactProgress {
        try reading { try FactTable.progress(epoch: self.epoch, build: self.build, shard: $0.shard, $1) }
    }

    package func wasRequeued(_ id: EffectID) throws(JournalError) -> Bool {
        try reading { contents, session in
            guard let loop = try contents.loops.find(id.loop, session) else { return false }
            return try DeadLetterTable.wasRequeued(id, loop: loop.number, shard: PlainDatabase.shard, session)
        }
    }

    package func noteCrash(
        _ breadcrumb: Breadcrumb, build: String, epoch: UInt64, at time: WallTime
    ) throws(JournalError) -> Int {
        var count = 1
        try write { contents, commit throws(JournalError) in
            let crash = Crash(breadcrumb: breadcrumb, count: 1, build: build, epoch: epoch, time: time)
            count = try writer.noteCrash(crash, database, contents: &contents, &commit)
        }
        return count
    }

    package func markDropped(_ source: SourceKey, of loop: LoopID) throws(JournalError) {
        try write { contents, commit throws(JournalError) in
            try writer.markDropped(source, of: loop, database, contents: &contents, &commit)
        }
    }

    package func forgetCrash(_ source: SourceKey, of loop: LoopID) throws(JournalError) {
        try write { contents, commit throws(JournalError) in
            try writer.forgetCrash(source, of: loop, database, contents: contents, &commit)
        }
    }

    package func setPause(_ pause: PoolPause?, of pool: String) throws(JournalError) {
        try write { _, commit throws(JournalError) in PausedPoolTable.set(pause, of: pool, &commit) }
    }

    package func remove(ended loop: LoopID, rows: Int) throws(JournalError) -> Bool {
        let found = try reading { contents, session in
            (try contents.end(of: loop, session), try contents.loops.find(loop, session)?.number)
        }
        guard let end = found.0, let number = found.1 else { return true }
        writer.forget(number)
        var deleting = 0..<0
        let results = try write { _, commit throws(JournalError) in
            let values: [SQLStatement.Value] = [.number(commit.shard), .number(number), .number(Int64(rows))]
            commit.add(
                "UPDATE ended_loops SET removing = 1 WHERE shard = $1 AND loop = $2 AND $3 > 0", values)
            let first = commit.next
            commit.addFreeing(
                """
                DELETE FROM runs WHERE rowid IN (SELECT rowid FROM runs WHERE shard = $1 AND loop = $2 LIMIT $3)
                RETURNING length(content)
                """, values)
            commit.addFreeing(
                """
                DELETE FROM snapshots WHERE rowid IN
                    (SELECT rowid FROM snapshots WHERE shard = $1 AND loop = $2 LIMIT $3)
                RETURNING length(model)
                """, values)
            for sql in Self.removals { commit.add(sql, values) }
            deleting = first..<commit.next
        }
        guard deleting.allSatisfy({ results[$0].changes < rows }) else { return false }
        try write { contents, commit throws(JournalError) in
            try BegunLoopTable.raiseNewLoops(to: end.sequence + 1, database, &commit)
            EndedLoopTable.finish(loop: number, &commit)
            try contents.loops.forget(loop, database)
        }
        return true
    }

    private static let removals: [StaticString] = [
        "DELETE FROM history WHERE rowid IN (SELECT rowid FROM history WHERE shard = $1 AND loop = $2 LIMIT $3)",
        """
        DELETE FROM dead_letters WHERE rowid IN
            (SELECT rowid FROM dead_letters WHERE shard = $1 AND loop = $2 LIMIT $3)
        """,
        "DELETE FROM requeued WHERE rowid IN (SELECT rowid FROM requeued WHERE shard = $1 AND loop = $2 LIMIT $3)",
        "DELETE FROM crashes WHERE rowid IN (SELECT rowid FROM crashes WHERE shard = $1 AND loop = $2 LIMIT $3)",
        """
        DELETE FROM outside_keys WHERE rowid IN
            (SELECT rowid FROM outside_keys WHERE shard = $1 AND loop = $2 LIMIT $3)
        """,
        "DELETE FROM replies WHERE rowid IN (SELECT rowid FROM replies WHERE shard = $1 AND loop = $2 LIMIT $3)",
    ]

    package func close() { database.contents = nil }
}

extension PlainDatabase: TableAccess {
    package func read<T>(_ body: (inout Contents, any JournalDatabase) throws -> T) throws -> T {
        guard var contents else { preconditionFailure("This journal is closed.") }
        defer { self.contents = contents }
        return try body(&contents, self)
    }
}
