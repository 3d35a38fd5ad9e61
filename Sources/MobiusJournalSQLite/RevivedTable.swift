import GRDB
import MobiusJournal
import MobiusWire

/// Effects that were dead letters and were revived, the newest with the greatest number.
///
/// They outlive their records, so that repeating a retry is harmless, also when the effect has ended since. Rows have no
/// checksums: a wrong one would only put a wrong sentence before an operator.
enum RevivedTable {
    static let definition = """
        CREATE TABLE revived_letters (
            id INTEGER PRIMARY KEY, loop INTEGER NOT NULL, sequence INTEGER NOT NULL, effect_index INTEGER NOT NULL);
        CREATE UNIQUE INDEX revived_letters_order ON revived_letters (loop, sequence, effect_index);
        """

    /// Adds one, and drops the oldest of too many.
    static func insert(_ effect: EffectID, loop: Int64, _ database: Database, limit: Int) throws {
        try run(
            "INSERT OR REPLACE INTO revived_letters (loop, sequence, effect_index) VALUES (?, ?, ?)", effect, loop,
            database)
        try database.cachedStatement(
            sql: "DELETE FROM revived_letters WHERE id <= (SELECT max(id) FROM revived_letters) - ?"
        ).execute(arguments: [limit])
    }

    /// Forgets one.
    static func remove(_ effect: EffectID, loop: Int64, _ database: Database) throws {
        try run(
            "DELETE FROM revived_letters WHERE loop = ? AND sequence = ? AND effect_index = ?", effect, loop, database)
    }

    /// Whether one is there.
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
