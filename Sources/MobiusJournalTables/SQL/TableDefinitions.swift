/// The tables whose rows are the same in every database.
///
/// - `kinds`: numbers for the payload kinds, whose names repeat.
/// - `snapshots`: the newest two of each loop, and those of a kept history.
/// - `replies`: what the senders of outside events were told, by loop and event.
/// - `dead_letters`, `requeued`: effects that failed finally, and those that an operator retried; the newest has the
///   greatest id. Those retried are kept longer than their records, so that a repeated retry stays harmless; their rows
///   have no checksums, because a damaged one could only make an answer to an operator wrong.
/// - `crashes`: events on which `update` crashed.
/// - `ended_loops`: the loops that have ended, as the notes on their ends say; `removing` is 1 when a part of it is deleted.
/// - `begun_loops`: the loops that have begun again after an end, and with which event.
/// - `active_loops`, `idle_loops`, `idle_totals`: the loops that a start must recover, the others, and their number.
/// - `history`: what a window of history keeps: see ``HistoryTable``.
/// - `facts`, `fact_progress`: see ``FactTable``.
/// - `paused_pools`: the pools that operators have paused.
///
/// Those of ``later(_:)`` are not in journals that earlier builds have made, until one is opened to be written.
package enum TableDefinitions {
    /// The names of a database for the types of columns.
    package struct Dialect {
        let number: String
        let bytes: String
        let text: String
        let clustered: String

        /// Names the types of signed integers of 64 bits, of bytes and of UTF-8.
        ///
        /// - Parameter clustered: Stands behind tables that are best kept in the order of their keys.
        package init(number: String, bytes: String, text: String, clustered: String) {
            (self.number, self.bytes, self.text, self.clustered) = (number, bytes, text, clustered)
        }
    }

    /// The names of the tables that every journal has.
    package static let names = [
        "kinds", "snapshots", "replies", "dead_letters", "requeued", "crashes", "ended_loops", "begun_loops",
        "active_loops", "idle_totals", "idle_loops", "history",
    ]

    /// Names of tables that came later, of each change the last.
    package static let laterNames = ["fact_progress", "paused_pools"]

    /// The statements that make the tables that came later, where they are missing.
    package static func later(_ dialect: Dialect) -> [String] {
        let (number, text) = ("\(dialect.number) NOT NULL", "\(dialect.text) NOT NULL")
        return [
            """
            CREATE TABLE IF NOT EXISTS facts (
                shard \(number), loop \(text), fact \(text), value \(dialect.bytes) NOT NULL,
                PRIMARY KEY (shard, loop, fact))\(dialect.clustered)
            """,
            "CREATE INDEX IF NOT EXISTS facts_value ON facts (shard, fact, value, loop)",
            """
            CREATE TABLE IF NOT EXISTS fact_progress (
                shard \(number), epoch \(number), build \(text), last \(text), complete \(number),
                PRIMARY KEY (shard))\(dialect.clustered)
            """,
            """
            CREATE TABLE IF NOT EXISTS paused_pools (
                shard \(number), pool \(text), name \(text), why \(text), since \(number), checksum \(number),
                PRIMARY KEY (shard, pool))\(dialect.clustered)
            """,
        ]
    }

    /// The statements that make all tables.
    package static func all(_ dialect: Dialect) -> [String] {
        let (number, bytes) = ("\(dialect.number) NOT NULL", "\(dialect.bytes) NOT NULL")
        let (text, end) = ("\(dialect.text) NOT NULL", dialect.clustered)
        return [
            """
            CREATE TABLE kinds (
                shard \(number), id \(number), type \(text), version \(number), content_type \(text),
                checksum \(number), PRIMARY KEY (shard, id))
            """,
            """
            CREATE TABLE snapshots (
                shard \(number), loop \(number), id \(number), sequence \(number), part \(number), kind \(number),
                model \(bytes), hash \(number), pending \(bytes), checksum \(number), PRIMARY KEY (shard, loop, id))
            """,
            """
            CREATE TABLE replies (
                shard \(number), loop \(number), sequence \(number), kind \(number), content \(bytes),
                checksum \(number), PRIMARY KEY (shard, loop, sequence))\(end)
            """,
            """
            CREATE TABLE dead_letters (
                shard \(number), loop \(number), id \(number), sequence \(number), effect_index \(number),
                failures \(number), round \(number), time \(number), kind \(number), effect \(bytes), reason \(text),
                checksum \(number), PRIMARY KEY (shard, loop, sequence, effect_index))
            """,
            "CREATE INDEX dead_letters_age ON dead_letters (shard, loop, id)",
            """
            CREATE TABLE requeued (
                shard \(number), id \(number), loop \(number), sequence \(number), effect_index \(number),
                PRIMARY KEY (shard, loop, sequence, effect_index))
            """,
            "CREATE INDEX requeued_age ON requeued (shard, id)",
            """
            CREATE TABLE crashes (
                shard \(number), id \(number), loop \(number), source \(bytes), flags \(number), replayed \(number),
                kind \(number), event \(bytes), count \(number), epoch \(number), time \(number), build \(text),
                checksum \(number), PRIMARY KEY (shard, id))
            """,
            """
            CREATE TABLE ended_loops (
                shard \(number), loop \(number), sequence \(number), time \(number), again \(number),
                outstanding \(number), removing \(number) DEFAULT 0, checksum \(number),
                PRIMARY KEY (shard, loop))\(end)
            """,
            "CREATE INDEX ended_loops_order ON ended_loops (shard, time, loop)",
            """
            CREATE TABLE begun_loops (
                shard \(number), loop \(number), sequence \(number), checksum \(number),
                PRIMARY KEY (shard, loop))\(end)
            """,
            """
            CREATE TABLE active_loops (
                shard \(number), loop \(number), checksum \(number), PRIMARY KEY (shard, loop))\(end)
            """,
            """
            CREATE TABLE idle_totals (
                shard \(number), loops \(number), events \(number), checksum \(number), PRIMARY KEY (shard))\(end)
            """,
            """
            CREATE TABLE idle_loops (
                shard \(number), loop \(number), sequence \(number), time \(number), checksum \(number),
                PRIMARY KEY (shard, loop))\(end)
            """,
            """
            CREATE TABLE history (
                shard \(number), id \(number), loop \(number), sequence \(number), part \(number), time \(number),
                checksum \(number), PRIMARY KEY (shard, id))
            """,
            "CREATE INDEX history_loop ON history (shard, loop)",
        ] + later(dialect)
    }
}
