import GRDB
import MobiusJournal
import MobiusWire

/// Dead letters that were requeued; the newest has the greatest id.
///
/// They are kept longer than their records, so that a repeated retry stays harmless even after the effect has ended.
/// Rows have no checksums: a damaged row could only make an answer to an operator wrong.
enum RequeuedTable {
    static let definition = """
        CREATE TABLE revived_letters (
            id INTEGER PRIMARY KEY, loop INTEGER NOT NULL, sequence INTEGER NOT NULL, effect_index INTEGER NOT NULL);
        CREATE UNIQUE INDEX revived_letters_order ON revived_letters (loop, sequence, effect_index);
        """

    /// Inserts an effect, and deletes the oldest above the limit.
    static func insert(_ effect: EffectID, loop: Int64, _ database: Database, limit: Int) throws {
        try run(
            "INSERT OR REPLACE INTO revived_letters (loop, sequence, effect_index) VALUES (?, ?, ?)", effect, loop,
            database)
        try database.cachedStatement(
            sql: "DELETE FROM revived_letters WHERE id <= (SELECT max(id) FROM revived_letters) - ?"
        ).execute(arguments: [limit])
    }

    static func remove(_ effect: EffectID, loop: Int64, _ database: Database) throws {
        try run(
            "DELETE FROM revived_letters WHERE loop = ? AND sequence = ? AND effect_index = ?", effect, loop, database)
    }

    static func contains(_ effect: EffectID, loop: Int64, _ database: Database) throws -> Bool {
        let statement = try RawStatement(
            database, "SELECT 1 FROM revived_letters WHERE loop = ? AND sequence = ? AND effect_index = ?")
        defer { statement.reset() }
        bind(effect, loop, to: statement)
        return try statement.next()
    }

    private static func run(_ sql: String, _ effect: EffectID, _ loop: Int64, _ database: Database) throws {
        let statement = try RawStatement(database, sql)
        defer { statement.reset() }
        bind(effect, loop, to: statement)
        try statement.run()
    }

    private static func bind(_ effect: EffectID, _ loop: Int64, to statement: RawStatement) {
        statement.bind(loop, 1)
        statement.bind(Int64(bitPattern: effect.sequence), 2)
        statement.bind(Int64(effect.index), 3)
    }
}
