/// The tables of a journal in PostgreSQL, format 3.
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
/// - `loops`, `kinds`: numbers for the names that repeat. A loop's first place is that of the first record kept.
/// - `runs`: the records, many in a row, coded as in SQLite (`RecordBatch`).
/// - `snapshots`: the newest two of each loop, and those of a kept history.
/// - `history`: what a window of history keeps: see `HistoryTable`.
/// - `outside_keys`, `replies`: the keys that a loop has applied, the last event of each with the mark of its sender, which
///   earlier builds of this format do not write, and what the sender was told.
/// - `dead_letters`, `requeued`: effects that failed finally, and those that an operator retried.
/// - `crashes`: events on which `update` crashed.
/// - `ended_loops`: the loops that have ended; `removing` is 1 when a part of it is deleted.
/// - `begun_loops`: the loops that have begun again after an end, and with which event.
/// - `active_loops`, `idle_loops`, `idle_totals`: the loops that a start must recover, the others, and their number.
///
/// Every row of a shard has a checksum, as in SQLite, but for `requeued`, `leases`, `members` and `limit_shares`,
/// which say nothing of events. Names and texts are bytes of UTF-8.
enum Schema {
    /// The version of the format; it must be raised with every change.
    static let version = 3

    /// The names of all tables that verification requires.
    static let names = [
        "format", "shards", "epochs", "loops", "kinds", "runs", "snapshots", "outside_keys", "replies", "dead_letters",
        "requeued", "crashes", "ended_loops", "begun_loops",
        "active_loops", "idle_loops", "idle_totals", "history", "leases", "members",
        "limit_shares",
    ]

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
            CREATE TABLE kinds (
                shard integer NOT NULL, id bigint NOT NULL, type bytea NOT NULL, version bigint NOT NULL,
                content_type bytea NOT NULL, checksum bigint NOT NULL, PRIMARY KEY (shard, id))
            """,
            """
            CREATE TABLE runs (
                shard integer NOT NULL, loop bigint NOT NULL, sequence bigint NOT NULL, part bigint NOT NULL,
                epoch bigint NOT NULL, last_sequence bigint NOT NULL, last_part bigint NOT NULL, count bigint NOT NULL,
                checksum bigint NOT NULL, content bytea NOT NULL, PRIMARY KEY (shard, loop, sequence, part))
            """,
            // Compressing costs more than it saves, and the content of many events is compressed already.
            "ALTER TABLE runs ALTER content SET STORAGE EXTERNAL",
            """
            CREATE TABLE snapshots (
                shard integer NOT NULL, loop bigint NOT NULL, id bigint NOT NULL, sequence bigint NOT NULL,
                part bigint NOT NULL, kind bigint NOT NULL, model bytea NOT NULL, hash bigint NOT NULL,
                pending bytea NOT NULL, checksum bigint NOT NULL, PRIMARY KEY (shard, loop, id))
            """,
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
            """
            CREATE TABLE replies (
                shard integer NOT NULL, loop bigint NOT NULL, sequence bigint NOT NULL, kind bigint NOT NULL,
                content bytea NOT NULL, checksum bigint NOT NULL, PRIMARY KEY (shard, loop, sequence))
            """,
            """
            CREATE TABLE dead_letters (
                shard integer NOT NULL, loop bigint NOT NULL, id bigint NOT NULL, sequence bigint NOT NULL,
                effect_index bigint NOT NULL, failures bigint NOT NULL, round bigint NOT NULL, time bigint NOT NULL,
                kind bigint NOT NULL, effect bytea NOT NULL, reason bytea NOT NULL, checksum bigint NOT NULL,
                PRIMARY KEY (shard, loop, sequence, effect_index))
            """,
            "CREATE INDEX dead_letters_age ON dead_letters (shard, loop, id)",
            """
            CREATE TABLE requeued (
                shard integer NOT NULL, id bigint NOT NULL, loop bigint NOT NULL, sequence bigint NOT NULL,
                effect_index bigint NOT NULL, PRIMARY KEY (shard, loop, sequence, effect_index))
            """,
            "CREATE INDEX requeued_age ON requeued (shard, id)",
            """
            CREATE TABLE crashes (
                shard integer NOT NULL, id bigint NOT NULL, loop bigint NOT NULL, source bytea NOT NULL,
                flags bigint NOT NULL, replayed bigint NOT NULL, kind bigint NOT NULL, event bytea NOT NULL,
                count bigint NOT NULL, epoch bigint NOT NULL, time bigint NOT NULL, build bytea NOT NULL,
                checksum bigint NOT NULL, PRIMARY KEY (shard, id))
            """,
            """
            CREATE TABLE ended_loops (
                shard integer NOT NULL, loop bigint NOT NULL, sequence bigint NOT NULL, time bigint NOT NULL,
                again bigint NOT NULL, outstanding bigint NOT NULL, removing bigint NOT NULL DEFAULT 0,
                checksum bigint NOT NULL, PRIMARY KEY (shard, loop))
            """,
            """
            CREATE TABLE begun_loops (
                shard integer NOT NULL, loop bigint NOT NULL, sequence bigint NOT NULL, checksum bigint NOT NULL,
                PRIMARY KEY (shard, loop))
            """,
            """
            CREATE TABLE active_loops (
                shard integer NOT NULL, loop bigint NOT NULL, checksum bigint NOT NULL, PRIMARY KEY (shard, loop))
            """,
            """
            CREATE TABLE idle_totals (
                shard integer PRIMARY KEY, loops bigint NOT NULL, events bigint NOT NULL, checksum bigint NOT NULL)
            """,
            """
            CREATE TABLE idle_loops (
                shard integer NOT NULL, loop bigint NOT NULL, sequence bigint NOT NULL, time bigint NOT NULL,
                checksum bigint NOT NULL, PRIMARY KEY (shard, loop))
            """,
            """
            CREATE TABLE history (
                shard integer NOT NULL, id bigint NOT NULL, loop bigint NOT NULL, sequence bigint NOT NULL,
                part bigint NOT NULL, time bigint NOT NULL, checksum bigint NOT NULL, PRIMARY KEY (shard, id))
            """,
            "CREATE INDEX history_loop ON history (shard, loop)",
            "CREATE INDEX ended_loops_order ON ended_loops (shard, time, loop)",
            fence(schema),
        ]
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

    /// What makes format 2 of format 1, without the checksums of `active_loops`: see ``Migration``.
    ///
    /// It waits for the commits of a program of format 1, and fences it.
    static let fromFirst = [
        "ALTER TABLE shards ADD backend integer, ADD backend_start timestamptz",
        "UPDATE shards SET epoch = epoch + 1 WHERE application IS NOT NULL",
        leases,
        "INSERT INTO leases (shard) SELECT shard FROM shards",
        "ALTER TABLE active_loops ADD checksum bigint NOT NULL DEFAULT 0",
        "ALTER TABLE active_loops ALTER checksum DROP DEFAULT",
        "UPDATE format SET version = 2",
    ]

    /// What makes format 3 of format 2: the one shard has all slices.
    ///
    /// It waits for the commits of a program of format 2, and fences it.
    static let fromSecond = [
        "ALTER TABLE shards ADD wanted text, ADD slices bytea NOT NULL DEFAULT decode(repeat('ff', 128), 'hex')",
        "ALTER TABLE shards ALTER slices DROP DEFAULT",
        "UPDATE shards SET epoch = epoch + 1 WHERE application IS NOT NULL",
        "ALTER TABLE leases ADD COLUMN IF NOT EXISTS heirs bytea",
        members, limitShares,
        "UPDATE format SET version = 3",
    ]

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
