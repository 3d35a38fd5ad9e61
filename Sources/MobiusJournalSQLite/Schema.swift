/// The tables of a journal, format 2.
///
/// - `journal`: one row saying which journal it is and whose.
/// - `epochs`: one row per opening. The records from `first_position` up to the next epoch's were written in it.
/// - `loops`, `kinds`: numbers for the names that repeat in every record. A loop's first place is that of the first record
///   which compaction has left.
/// - `records`: one row per event or note, in commit order. Effects are one value in their event's row.
/// - `snapshots`: the newest two of each loop.
/// - `outside_keys`: the keys that a loop has applied, which outlive their records, and where it did so last.
/// - `dead_letters`: effects that failed for good, the newest with the greatest number.
/// - `revived_letters`: see ``RevivedTable``.
/// - `crashes`: events on which `update` crashed.
/// - `skipped`: records to be read without their event.
enum Schema {
    /// In the file's header: "MobF", so that `file` and other tools can tell a journal from other databases.
    static let applicationID: Int64 = 0x4d6f_6246
    /// In the file's header: the format, to be raised with every change that an older program could not read.
    static let version: Int64 = 2

    /// What the tables and indices are called.
    static let names = [
        "journal", "epochs", "loops", "kinds", "records", "records_order", "snapshots", "snapshots_order",
        "outside_keys",
        "dead_letters", "dead_letters_order", "dead_letters_age", "crashes", "skipped",
    ]

    /// Makes the tables.
    ///
    /// Measured with 100-byte events, 128 per commit (SQLite's part alone): 1.8 µs of CPU per record as below; 1.3 µs without
    /// the order index, which finds gaps and reads one loop of many; 2.4 µs with a unique index on all sources, so the
    /// uniqueness of workers' reports is left to the engine; a table WITHOUT ROWID is as fast, but takes four times
    /// the space for events just above 1 KiB.
    ///
    /// With all of this program's part: 2.6 µs for a report with an effect (2.5 in format 1), 13 µs for an outside event with a
    /// random key (12 in format 1), and 1 µs more where compaction deletes as much as is written.
    static let tables =
        """
        CREATE TABLE journal (
            id INTEGER PRIMARY KEY CHECK (id = 1), identity TEXT NOT NULL, application TEXT NOT NULL,
            created_by TEXT NOT NULL);
        CREATE TABLE epochs (
            epoch INTEGER PRIMARY KEY, build TEXT NOT NULL, first_position INTEGER NOT NULL);
        CREATE TABLE loops (
            id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, checksum INTEGER NOT NULL,
            first_sequence INTEGER NOT NULL DEFAULT 0, first_part INTEGER NOT NULL DEFAULT 0);
        CREATE TABLE kinds (
            id INTEGER PRIMARY KEY, type TEXT NOT NULL, version INTEGER NOT NULL, content_type TEXT NOT NULL,
            checksum INTEGER NOT NULL, UNIQUE (type, version, content_type));
        CREATE TABLE records (
            position INTEGER PRIMARY KEY, loop INTEGER NOT NULL, sequence INTEGER NOT NULL, part INTEGER NOT NULL,
            source INTEGER NOT NULL, effect_sequence INTEGER NOT NULL, effect_index INTEGER NOT NULL,
            epoch INTEGER NOT NULL, attempt INTEGER NOT NULL, number INTEGER NOT NULL, ends INTEGER NOT NULL,
            kind INTEGER NOT NULL, key TEXT, event BLOB, effects BLOB, checksum INTEGER NOT NULL,
            time INTEGER NOT NULL DEFAULT 0);
        CREATE UNIQUE INDEX records_order ON records (loop, sequence, part);
        CREATE TABLE snapshots (
            id INTEGER PRIMARY KEY, loop INTEGER NOT NULL, sequence INTEGER NOT NULL, part INTEGER NOT NULL,
            kind INTEGER NOT NULL, model BLOB NOT NULL, hash INTEGER NOT NULL, pending BLOB NOT NULL,
            checksum INTEGER NOT NULL);
        CREATE INDEX snapshots_order ON snapshots (loop, sequence, part);
        """ + addedInFormat2 + RevivedTable.definition

    /// The tables that format 1 did not have.
    static let addedInFormat2 = """
        CREATE TABLE outside_keys (
            loop INTEGER NOT NULL, key TEXT NOT NULL, sequence INTEGER NOT NULL, checksum INTEGER NOT NULL,
            PRIMARY KEY (loop, key)) WITHOUT ROWID;
        CREATE TABLE dead_letters (
            id INTEGER PRIMARY KEY, loop INTEGER NOT NULL, sequence INTEGER NOT NULL, effect_index INTEGER NOT NULL,
            failures INTEGER NOT NULL, round INTEGER NOT NULL, time INTEGER NOT NULL, kind INTEGER NOT NULL,
            effect BLOB NOT NULL, reason TEXT NOT NULL, checksum INTEGER NOT NULL);
        CREATE UNIQUE INDEX dead_letters_order ON dead_letters (loop, sequence, effect_index);
        CREATE INDEX dead_letters_age ON dead_letters (loop);
        CREATE TABLE crashes (
            id INTEGER PRIMARY KEY, loop INTEGER NOT NULL, source BLOB NOT NULL, flags INTEGER NOT NULL,
            replayed INTEGER NOT NULL, kind INTEGER NOT NULL, event BLOB NOT NULL, count INTEGER NOT NULL,
            epoch INTEGER NOT NULL, time INTEGER NOT NULL, build TEXT NOT NULL, checksum INTEGER NOT NULL,
            UNIQUE (loop, source));
        CREATE TABLE skipped (
            loop INTEGER NOT NULL, sequence INTEGER NOT NULL, checksum INTEGER NOT NULL,
            PRIMARY KEY (loop, sequence)) WITHOUT ROWID;
        """
}
