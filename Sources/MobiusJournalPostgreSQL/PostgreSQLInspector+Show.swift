#if PostgreSQL
    public import MobiusJournal
    import MobiusJournalTables
    public import MobiusWire

    extension PostgreSQLInspector {
        /// A summary of the journal: its identity, epochs and loops.
        ///
        /// It counts all records, so its cost grows with their number.
        public func info() throws(JournalError) -> JournalInfo {
            try reading { contents, session in
                let owner = try session.read(
                    "SELECT application, created_by FROM shards WHERE shard = $1", [.number(shard)])
                let epochs = try session.epochs(shard: shard)
                return JournalInfo(
                    identity: identity, application: owner.text(0, 0) ?? "", createdBy: owner.text(0, 1) ?? "",
                    format: Schema.version, bytes: try bytes(), holder: nil,
                    epochs: epochs.map { JournalInfo.Epoch(epoch: UInt64(bitPattern: $0.epoch), build: $0.build) },
                    loops: try contents.summaries(session))
            }
        }

        /// The size of the schema's tables with their indices.
        private func bytes() throws(JournalError) -> Int {
            Int(
                try session.read(
                    """
                    SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0)::bigint
                    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
                    WHERE n.nspname = $1 AND c.relkind = 'r'
                    """, [.name(session.url.schema)]
                ).number(0, 0))
        }

        /// The records of a loop from the event `sequence` on, in commit order.
        ///
        /// It returns at most `limit` records, and then the notes up to the next event, so that a caller that continues
        /// with the event after the last one misses no note.
        ///
        /// - Throws: ``JournalError`` with code `damaged` when a record is missing or unreadable.
        public func records(
            of loop: LoopID, from sequence: UInt64 = 0, limit: Int
        ) throws(JournalError) -> [JournalEntry] {
            precondition(limit > 0, "The limit must be at least 1.")
            return try reading { try $0.records(of: loop, from: sequence, limit: limit, $1) }
        }

        /// The sequence number of the first of a loop's newest `count` kept events; `nil` when fewer are kept.
        public func sequence(ofNewest count: Int, of loop: LoopID) throws(JournalError) -> UInt64? {
            precondition(count > 0, "The count must be at least 1.")
            return try reading { contents, session in
                guard let numbered = try contents.loops.find(loop, session) else { return nil }
                return try session.sequence(ofNewest: count, loop: numbered.number, shard: shard)
            }
        }

        /// The effects of a loop that have not ended, in the order in which they were requested.
        public func pending(of loop: LoopID) throws(JournalError) -> [PendingEffect] {
            try reading { try $0.pending(of: loop, $1) }
        }
    }
#endif
