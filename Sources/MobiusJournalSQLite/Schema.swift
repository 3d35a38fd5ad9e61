import MobiusJournal
import MobiusJournalTables

/// The tables of a journal, format 5.
///
/// - `journal`: one row with the journal's identity and its program.
/// - `epochs`: one row per opening, with the number of its commits without records.
/// - `loops`: numbers for the names that repeat. A loop's first place is that of the first record that compaction has kept.
/// - `runs`: the records, many in a row: see ``RecordBatch``.
/// - `outside_keys`: the keys that a loop has applied, the last event that applied each, and the mark of its sender; kept
///   longer than the records.
/// - All others are those of ``TableDefinitions``. A row's shard is 0.
enum Schema {
    /// In the file's header: "MobF", by which `file` and other tools recognise a journal.
    static let applicationID: Int64 = 0x4d6f_6246
    /// In the file's header: the format version; it must be raised with every change that an older program cannot read.
    static let version: Int64 = 5

    /// The names of all tables and indices that verification requires.
    static let names =
        ["journal", "epochs", "loops", "runs", "snapshots_order", "outside_keys"] + TableDefinitions.names

    /// Creates the tables.
    ///
    /// Measured with events and effects of 100 bytes, 120,000 of each per second through one coordinator: the journal
    /// takes 2.2 µs of CPU per event, and took 4.0 µs with a row of fifteen columns for each record, found by an index.
    /// A commit of one event usually writes one page.
    static let tables =
        """
        CREATE TABLE journal (
            id INTEGER PRIMARY KEY CHECK (id = 1), identity TEXT NOT NULL, application TEXT NOT NULL,
            created_by TEXT NOT NULL);
        CREATE TABLE epochs (
            epoch INTEGER PRIMARY KEY, build TEXT NOT NULL, writes INTEGER NOT NULL, checksum INTEGER NOT NULL);
        CREATE TABLE loops (
            id INTEGER PRIMARY KEY, shard INTEGER NOT NULL, name TEXT NOT NULL, first_sequence INTEGER NOT NULL,
            first_part INTEGER NOT NULL, checksum INTEGER NOT NULL, UNIQUE (shard, name));
        CREATE TABLE runs (
            id INTEGER PRIMARY KEY, epoch INTEGER NOT NULL, sequence INTEGER NOT NULL, part INTEGER NOT NULL,
            last_sequence INTEGER NOT NULL, last_part INTEGER NOT NULL, count INTEGER NOT NULL,
            checksum INTEGER NOT NULL, content BLOB NOT NULL);
        CREATE TABLE outside_keys (
            shard INTEGER NOT NULL, loop INTEGER NOT NULL, key TEXT NOT NULL, sequence INTEGER NOT NULL,
            checksum INTEGER NOT NULL, mark BLOB NOT NULL, PRIMARY KEY (shard, loop, key)) WITHOUT ROWID;

        """ + TableDefinitions.all(.sqlite).map { $0 + ";" }.joined(separator: "\n")
        + "CREATE INDEX snapshots_order ON snapshots (shard, loop, sequence, part);"

    /// Creates the tables that a file of an earlier build does not have.
    static let laterTables = TableDefinitions.later(.sqlite).map { $0 + ";" }.joined(separator: "\n")

    /// Returns the error with which a file of another format is refused.
    static func refusal(_ version: Int64, shown: String) -> JournalError {
        if version > Self.version {
            return JournalError(
                .foreign,
                "The journal \(shown) was written by a newer program (format \(version), this one knows \(Self.version)): "
                    + "use the newer program.")
        }
        guard version > 2 else { return .damaged(shown, "its format is number \(version)") }
        return JournalError(
            .foreign,
            "The journal \(shown) has the older format \(version), of before 0.2: go on with the build that wrote it, or "
                + "choose another --journal FILE.")
    }
}

extension TableDefinitions.Dialect {
    fileprivate static let sqlite = Self(
        number: "INTEGER", bytes: "BLOB", text: "TEXT", clustered: " WITHOUT ROWID")
}
