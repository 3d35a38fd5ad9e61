#if PostgreSQL
    import MobiusJournal
    import MobiusJournalTables

    extension HistoryTable {
        /// The bytes of all records and models: without reading them, because large values are stored beside their rows.
        static func usedBytes(shard: Int64, _ session: Session) throws(JournalError) -> Int64 {
            try session.read(
                """
                SELECT (SELECT coalesce(sum(length(content)), 0)::bigint FROM runs WHERE shard = $1)
                    + (SELECT coalesce(sum(length(model)), 0)::bigint FROM snapshots WHERE shard = $1)
                """, [.number(shard)]
            ).number(0, 0)
        }
    }
#endif
