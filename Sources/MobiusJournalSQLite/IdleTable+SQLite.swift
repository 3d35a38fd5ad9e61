import MobiusJournal
import MobiusJournalTables
import MobiusWire

extension IdleTable {
    /// Whether a start need not recover a loop.
    static func isIdle(_ loop: Int64, _ database: Database) throws(JournalError) -> Bool {
        try database.read(
            "SELECT 1 FROM idle_loops WHERE shard = $1 AND loop = $2", [.number(Database.shard), .number(loop)]
        ).rows > 0
    }

    /// The loops that must be recovered, in the order in which they were added; also loops without records.
    static func active(_ database: Database) throws(JournalError) -> [LoopID] {
        try active(
            database.read(
                """
                SELECT l.name, a.loop, a.checksum FROM active_loops a
                LEFT JOIN loops l ON l.shard = a.shard AND l.id = a.loop WHERE a.shard = $1 ORDER BY a.loop
                """, [.number(Database.shard)]), database)
    }

    /// The loops behind `after` whose names begin with `prefix`, by name; also loops without records.
    static func page(
        prefix: String, after: LoopID?, limit: Int, _ database: Database
    ) throws(JournalError) -> [StoredLoop] {
        // One bound, because SQLite would begin at the first of two.
        let isBehind = after.map { !$0.name.utf8.lexicographicallyPrecedes(prefix.utf8) } ?? false
        let rows = try database.read(
            isBehind
                ? """
                SELECT l.id, l.name, i.sequence, i.time, i.checksum FROM loops l
                LEFT JOIN idle_loops i ON i.shard = l.shard AND i.loop = l.id
                WHERE l.shard = $1 AND l.name > $2 ORDER BY l.name LIMIT $3
                """
                : """
                SELECT l.id, l.name, i.sequence, i.time, i.checksum FROM loops l
                LEFT JOIN idle_loops i ON i.shard = l.shard AND i.loop = l.id
                WHERE l.shard = $1 AND l.name >= $2 ORDER BY l.name LIMIT $3
                """,
            [
                .number(Database.shard), .text(isBehind ? after?.name ?? prefix : prefix), .number(Int64(limit)),
            ])
        var found: [StoredLoop] = []
        for row in 0..<rows.rows {
            let stored = try stored(rows, row, database)
            guard stored.loop.name.utf8.starts(with: prefix.utf8) else { break }
            found.append(stored)
        }
        return found
    }
}
