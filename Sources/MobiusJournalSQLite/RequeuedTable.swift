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
        try database.run(
            "INSERT OR REPLACE INTO revived_letters (loop, sequence, effect_index) VALUES (?, ?, ?)",
            [loop, effect.sequence, effect.index])
        try database.run(
            "DELETE FROM revived_letters WHERE id <= (SELECT max(id) FROM revived_letters) - ?", [limit])
    }

    static func remove(_ effect: EffectID, loop: Int64, _ database: Database) throws {
        try database.run(
            "DELETE FROM revived_letters WHERE loop = ? AND sequence = ? AND effect_index = ?",
            [loop, effect.sequence, effect.index])
    }

    static func contains(_ effect: EffectID, loop: Int64, _ database: Database) throws -> Bool {
        let found = try database.number(
            "SELECT 1 FROM revived_letters WHERE loop = ? AND sequence = ? AND effect_index = ?",
            [loop, effect.sequence, effect.index])
        return found == 1
    }
}
