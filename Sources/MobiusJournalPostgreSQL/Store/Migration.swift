#if PostgreSQL
    import MobiusJournal

    /// Brings the tables of an earlier format up to date, in a transaction of its caller.
    struct Migration {
        let session: Session

        /// Makes the newest format of an earlier one.
        func run(from version: Int) throws(PipelineError) {
            // What holds a table is the commit of a coordinator.
            try session.connection.execute(["SET LOCAL lock_timeout TO '10s'"])
            if version < 2 { try makeSecond() }
            try session.connection.execute(Schema.fromSecond)
        }

        private func makeSecond() throws(PipelineError) {
            let connection = session.connection
            try connection.execute(Schema.fromFirst)
            var cursor: (shard: Int64, loop: Int64) = (.min, .min)
            while true {
                let page = try connection.query(
                    Statement(
                        """
                        SELECT shard::bigint, loop FROM active_loops WHERE (shard, loop) > ($1, $2)
                        ORDER BY shard, loop LIMIT 10000
                        """, [.number(cursor.shard), .number(cursor.loop)]))
                guard page.rows > 0 else { return }
                let rows = (0..<page.rows).map { (shard: page.number($0, 0), loop: page.number($0, 1)) }
                _ = try connection.query(
                    Statement(
                        """
                        UPDATE active_loops a SET checksum = n.checksum
                        FROM unnest($1::bigint[], $2::bigint[], $3::bigint[]) AS n (shard, loop, checksum)
                        WHERE a.shard = n.shard AND a.loop = n.loop
                        """,
                        [
                            .numbers(rows.map(\.shard)), .numbers(rows.map(\.loop)),
                            .numbers(rows.map { IdleTable.activeSum($0.loop) }),
                        ]))
                cursor = rows.last ?? cursor
            }
        }
    }
#endif
