import GRDB
import MobiusJournal
import MobiusWire

/// Brings a journal of an older format to this one, when a program opens it for writing.
enum Migration {
    /// From format 1 or 2, in one transaction.
    ///
    /// - Throws: ``JournalError`` with code `damaged` when something is not what was written; the file is left as it was.
    static func run(from format: Int64, _ database: Database, path: String, limits: JournalLimits) throws {
        try database.execute(sql: "PRAGMA synchronous = FULL")
        try database.inTransaction(.immediate) {
            if format == 1 { try toFormat2(database, path: path, limits: limits) }
            try toFormat3(database, path: path)
            try database.execute(sql: "PRAGMA user_version = \(Schema.version)")
            return .commit
        }
    }

    /// Records stay where they are, keys get a table of their own, and the pending effects of snapshots are written anew.
    private static func toFormat2(_ database: Database, path: String, limits: JournalLimits) throws {
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
    }

    /// Records become rows of many; keys and dead letters are in their tables already.
    private static func toFormat3(_ database: Database, path: String) throws {
        // Journals of format 2 that were made before this table have none.
        if try numbers(database, "SELECT 1 FROM sqlite_master WHERE name = 'revived_letters_order'").isEmpty {
            try database.execute(sql: RevivedTable.definition)
        }
        try database.execute(sql: Schema.runs)
        let epochs = try positions(database)
        var kinds = try NumberedKinds(database, path: path)
        for (loop, number) in try NumberedLoops(path: path).all(database) {
            let reader = Format2Reader(loop: loop, path: path, kinds: kinds)
            var runs = RunWriter(nextRow: Run.ids(of: number).lowerBound)
            try reader.read(database, number: number) { record, place, position in
                let epoch = epochs.last { $0.first <= position }?.epoch ?? 0
                try runs.append(record, at: place, epoch: epoch, database, kinds: &kinds)
            }
            try runs.finish(database)
        }
        try database.execute(sql: "DROP TABLE records; ALTER TABLE epochs DROP COLUMN first_position")
    }

    /// The epochs and the positions of their first records, in order.
    private static func positions(_ database: Database) throws -> [(epoch: Int64, first: Int64)] {
        let statement = try RawStatement(database, "SELECT epoch, first_position FROM epochs ORDER BY epoch")
        defer { statement.reset() }
        var found: [(Int64, Int64)] = []
        while try statement.next() { found.append((statement.number(0), statement.number(1))) }
        return found
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
