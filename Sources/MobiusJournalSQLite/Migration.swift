import GRDB
import MobiusJournal
import MobiusWire

/// Brings a journal of an older format to this one, when a program opens it for writing.
enum Migration {
    /// From format 1, in one transaction: records stay where they are, keys get a table of their own, and the pending
    /// effects of snapshots are written anew.
    ///
    /// - Throws: ``JournalError`` with code `damaged` when a snapshot is not what was written; the file is left as it was.
    static func fromFormat1(_ database: Database, path: String, limits: JournalLimits) throws {
        try database.execute(sql: "PRAGMA synchronous = FULL")
        try database.inTransaction(.immediate) {
            try database.execute(
                sql: """
                    ALTER TABLE records ADD COLUMN time INTEGER NOT NULL DEFAULT 0;
                    ALTER TABLE loops ADD COLUMN first_sequence INTEGER NOT NULL DEFAULT 0;
                    ALTER TABLE loops ADD COLUMN first_part INTEGER NOT NULL DEFAULT 0;
                    """ + Schema.addedInFormat2)
            for loop in try numbers(database, "SELECT id FROM loops ORDER BY id") {
                try copyKeys(of: loop, database, limit: limits.outsideKeys)
            }
            try database.execute(sql: "DROP INDEX records_outside")
            try rewriteSnapshots(database, path: path)
            try database.execute(sql: "PRAGMA user_version = \(Schema.version)")
            return .commit
        }
    }

    private static func copyKeys(of loop: Int64, _ database: Database, limit: Int) throws {
        let statement = try RawStatement(
            database,
            """
            SELECT key, sequence FROM records INDEXED BY records_outside WHERE loop = ? AND key IS NOT NULL
            ORDER BY position DESC LIMIT ?
            """)
        defer { statement.reset() }
        statement.bind(loop, 1)
        statement.bind(Int64(limit), 2)
        let table = try OutsideKeyTable(database)
        while try statement.next() {
            try table.insert(statement.bytes(0), loop: loop, sequence: statement.number(1))
        }
    }

    private static func rewriteSnapshots(_ database: Database, path: String) throws {
        for id in try numbers(database, "SELECT id FROM snapshots ORDER BY id") {
            try SnapshotTable.rewrite(id, database, path: path)
        }
    }

    private static func numbers(_ database: Database, _ sql: String) throws -> [Int64] {
        let statement = try RawStatement(database, sql)
        defer { statement.reset() }
        var found: [Int64] = []
        while try statement.next() { found.append(statement.number(0)) }
        return found
    }
}
