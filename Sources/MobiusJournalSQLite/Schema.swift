/// The tables of a journal, format 1.
///
/// - `journal`: one row saying which journal it is and whose.
/// - `epochs`: one row per opening. The records from `first_position` up to the next epoch's were written in it.
/// - `loops`, `kinds`: numbers for the names that repeat in every record.
/// - `records`: one row per event or end, in commit order, insert-only. Effects are one value in their event's row.
/// - `snapshots`: the newest two of each loop.
enum Schema {
    /// In the file's header: "MobF", so that `file` and other tools can tell a journal from other databases.
    static let applicationID: Int64 = 0x4d6f_6246
    /// In the file's header: the format, to be raised with every change that an older program could not read.
    static let version: Int64 = 1

    /// Makes the tables.
    ///
    /// Measured with 100-byte events, 128 per commit (SQLite's part alone): 1.8 µs of CPU per record as below; 1.3 µs without
    /// the order index, which finds gaps and reads one loop of many; 2.4 µs with a unique index on all sources, so the
    /// uniqueness of workers' reports is left to the engine; a table WITHOUT ROWID is as fast, but takes four times
    /// the space for events just above 1 KiB.
    static let tables = """
        CREATE TABLE journal (
            id INTEGER PRIMARY KEY CHECK (id = 1), identity TEXT NOT NULL, application TEXT NOT NULL,
            created_by TEXT NOT NULL);
        CREATE TABLE epochs (
            epoch INTEGER PRIMARY KEY, build TEXT NOT NULL, first_position INTEGER NOT NULL);
        CREATE TABLE loops (
            id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, checksum INTEGER NOT NULL);
        CREATE TABLE kinds (
            id INTEGER PRIMARY KEY, type TEXT NOT NULL, version INTEGER NOT NULL, content_type TEXT NOT NULL,
            checksum INTEGER NOT NULL, UNIQUE (type, version, content_type));
        CREATE TABLE records (
            position INTEGER PRIMARY KEY, loop INTEGER NOT NULL, sequence INTEGER NOT NULL, part INTEGER NOT NULL,
            source INTEGER NOT NULL, effect_sequence INTEGER NOT NULL, effect_index INTEGER NOT NULL,
            epoch INTEGER NOT NULL, attempt INTEGER NOT NULL, number INTEGER NOT NULL, ends INTEGER NOT NULL,
            kind INTEGER NOT NULL, key TEXT, event BLOB, effects BLOB, checksum INTEGER NOT NULL);
        CREATE UNIQUE INDEX records_order ON records (loop, sequence, part);
        CREATE UNIQUE INDEX records_outside ON records (loop, key) WHERE key IS NOT NULL;
        CREATE TABLE snapshots (
            id INTEGER PRIMARY KEY, loop INTEGER NOT NULL, sequence INTEGER NOT NULL, part INTEGER NOT NULL,
            kind INTEGER NOT NULL, model BLOB NOT NULL, hash INTEGER NOT NULL, pending BLOB NOT NULL,
            checksum INTEGER NOT NULL);
        CREATE INDEX snapshots_order ON snapshots (loop, sequence, part);
        """
}
