import MobiusJournal
import MobiusJournalTables

extension EndedLoopTable {
    /// Deletes up to about `rows` rows of a loop; the name and the end go last.
    ///
    /// - Returns: whether nothing is left.
    static func remove(_ rows: Int, loop: Int64, _ database: Database) throws -> Bool {
        try database.run("UPDATE ended_loops SET removing = 1 WHERE loop = ? AND removing = 0", [loop])
        var left = rows
        let ids = RecordBatch.ids(of: loop)
        // Rows of records have up to 64 KiB: a few of them are as much work as many keys.
        try database.run(
            "DELETE FROM runs WHERE id IN (SELECT id FROM runs WHERE id BETWEEN ? AND ? ORDER BY id LIMIT ?)",
            [ids.lowerBound, ids.upperBound, max(1, left / 16)])
        left -= database.changes * 16
        for table in ["snapshots", "history", "dead_letters", "requeued", "crashes"] where left > 0 {
            try database.run(
                """
                DELETE FROM \(table) WHERE rowid IN (
                    SELECT rowid FROM \(table) WHERE shard = ?1 AND loop = ?2 LIMIT ?3)
                """, [Database.shard, loop, left])
            left -= database.changes
        }
        // A later loop may get this one's number, so nothing of it may stay.
        for (table, column) in [("outside_keys", "key"), ("replies", "sequence")] {
            guard left > 0 else { return false }
            try database.run(
                """
                DELETE FROM \(table) WHERE shard = ?1 AND loop = ?2 AND \(column) IN
                    (SELECT \(column) FROM \(table) WHERE shard = ?1 AND loop = ?2 LIMIT ?3)
                """, [Database.shard, loop, left])
            left -= database.changes
        }
        guard left > 0 else { return false }
        try database.perform { commit in
            if let end = try end(of: loop, shard: Database.shard, database) {
                try BegunLoopTable.raiseNewLoops(to: end.sequence + 1, database, &commit)
            }
            finish(loop: loop, &commit)
        }
        return true
    }
}
