import MobiusJournalTables

/// The tables of a journal in PostgreSQL, format 5.
///
/// - `format`: one row with the format's number.
/// - `shards`: a row for each journal of the database, with the slices whose loops it has (`SliceSet`), and the process that
///   an operator wants to run it. Only its owner writes a shard's rows, and the row's epoch is its
///   fence: see ``fence``. It names the server's process that serves its owner's connection.
/// - `leases`: a row for each shard: which process runs it, and until when. It is apart from `shards`, because a renewal
///   would wait for the commits that hold the fence.
/// - `members`: a row for each process that may run shards, until when others count with it.
/// - `limit_shares`: a row for each shard's share of each limit of the cluster.
/// - `epochs`: one row per opening of a shard.
/// - `loops`: numbers for the names that repeat. A loop's first place is that of the first record kept.
/// - `runs`: the records, many in a row, coded as in SQLite (`RecordBatch`).
/// - `outside_keys`: the keys that a loop has applied, the last event of each, and the mark of its sender.
/// - All others are those of ``TableDefinitions``.
///
/// Every row of a shard has a checksum, as in SQLite, but for `requeued`, `leases`, `members` and `limit_shares`,
/// which say nothing of events. Names and texts are bytes of UTF-8.
enum Schema {
    /// The version of the format; it must be raised with every change.
    static let version = 5

    /// The names of all tables that verification requires.
    static let names =
        [
            "format", "shards", "epochs", "loops", "runs", "outside_keys", "leases", "members", "limit_shares",
        ] + TableDefinitions.names

    /// Makes the tables in a schema.
    static func tables(_ schema: String) -> [String] {
        [
            "CREATE TABLE format (version integer NOT NULL)",
            "INSERT INTO format VALUES (\(version))",
            """
            CREATE TABLE shards (
                shard integer PRIMARY KEY, identity text NOT NULL, application bytea, created_by bytea,
                epoch bigint NOT NULL DEFAULT 0, backend integer, backend_start timestamptz,
                slices bytea NOT NULL, wanted text)
            """,
            leases, members, limitShares,
            """
            CREATE TABLE epochs (
                shard integer NOT NULL, epoch bigint NOT NULL, build bytea NOT NULL, checksum bigint NOT NULL,
                PRIMARY KEY (shard, epoch))
            """,
            """
            CREATE TABLE loops (
                shard integer NOT NULL, id bigint NOT NULL, name bytea NOT NULL, first_sequence bigint NOT NULL,
                first_part bigint NOT NULL, checksum bigint NOT NULL, PRIMARY KEY (shard, id), UNIQUE (shard, name))
            """,
            """
            CREATE TABLE runs (
                shard integer NOT NULL, loop bigint NOT NULL, sequence bigint NOT NULL, part bigint NOT NULL,
                epoch bigint NOT NULL, last_sequence bigint NOT NULL, last_part bigint NOT NULL, count bigint NOT NULL,
                checksum bigint NOT NULL, content bytea NOT NULL, PRIMARY KEY (shard, loop, sequence, part))
            """,
            // Compressing costs more than it saves, and the content of many events is compressed already.
            "ALTER TABLE runs ALTER content SET STORAGE EXTERNAL",
            // An entry of an index has 2704 bytes at most, and a key may be longer.
            """
            CREATE FUNCTION key_lookup(key bytea) RETURNS bytea LANGUAGE sql IMMUTABLE PARALLEL SAFE AS
            'SELECT CASE WHEN length(key) <= 255 THEN key ELSE substr(key, 1, 256) || sha256(key) END'
            """,
            """
            CREATE TABLE outside_keys (
                shard integer NOT NULL, loop bigint NOT NULL, key bytea NOT NULL, sequence bigint NOT NULL,
                checksum bigint NOT NULL, mark bytea)
            """,
            "CREATE UNIQUE INDEX outside_keys_key ON outside_keys (shard, loop, key_lookup(key))",
            "CREATE INDEX outside_keys_age ON outside_keys (shard, loop, sequence)",
        ] + TableDefinitions.all(.postgreSQL) + [fence(schema)]
    }

    /// `change` grows with each taking, renewal and release; `epoch` is that of the last taking; `process` is NULL when nobody
    /// holds it; `backend` serves the holder's connection for leases; `heirs` are the ids of the workers that held effects when it was
    /// released, 16 bytes each.
    private static let leases = """
        CREATE TABLE leases (
            shard integer PRIMARY KEY, change bigint NOT NULL DEFAULT 0, epoch bigint NOT NULL DEFAULT 0,
            process text, name bytea, workers bytea, clients bytea, until timestamptz, backend integer, heirs bytea)
        """

    /// `ready` says whether the process may get more shards by its own account, `draining` what an operator wants; a `guest` gets
    /// only the shards that are wanted for it.
    private static let members = """
        CREATE TABLE members (
            process text PRIMARY KEY, name bytea NOT NULL, ready boolean NOT NULL,
            draining boolean NOT NULL DEFAULT false, guest boolean NOT NULL DEFAULT false, until timestamptz NOT NULL)
        """

    /// `resource` is that of `LimitResource`; `change` grows with each claim; `changed` is when the units became others, `reduced`
    /// when they became fewer, and `claimed` the time of the last claim.
    private static let limitShares = """
        CREATE TABLE limit_shares (
            name bytea NOT NULL, resource smallint NOT NULL, shard integer NOT NULL, units bigint NOT NULL,
            wanted bigint NOT NULL, change bigint NOT NULL, changed timestamptz NOT NULL, reduced timestamptz,
            claimed timestamptz NOT NULL, PRIMARY KEY (name, resource, shard))
        """

    /// Locks the row of a shard against the next opening until the transaction ends, and fails it with `MF001` when
    /// another epoch has begun.
    ///
    /// `FOR SHARE`, because `FOR KEY SHARE` does not conflict with an update of a column that is no key.
    private static func fence(_ schema: String) -> String {
        """
        CREATE FUNCTION fence(s bigint, e bigint) RETURNS void LANGUAGE plpgsql AS $$
        BEGIN
            PERFORM 1 FROM \(schema).shards WHERE shard = s AND epoch = e FOR SHARE;
            IF NOT FOUND THEN
                RAISE EXCEPTION 'another epoch of shard % has begun', s USING ERRCODE = '\(PostgreSQLError.fenced)';
            END IF;
        END $$
        """
    }
}

extension TableDefinitions.Dialect {
    /// Text is bytes, because PostgreSQL's own cannot contain NUL and depends on the database's encoding.
    static let postgreSQL = Self(number: "bigint", bytes: "bytea", text: "bytea", clustered: "")
}
