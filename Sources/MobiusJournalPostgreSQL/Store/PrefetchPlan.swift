#if PostgreSQL
    import MobiusJournal
    import MobiusJournalTables
    import MobiusWire

    /// The choice of the loops that come into one block, so that it is not too large.
    struct PrefetchPlan {
        /// A loop of the block.
        struct Loop {
            /// Its place in the list.
            let index: Int
            let number: Int64
            /// The first batch to read.
            let begin: (sequence: Int64, part: Int64)
            let hasKeys: Bool
        }

        /// The most loops of a block.
        static let maximumLoops = 256
        /// The most bytes of a block.
        private static let maximumBytes: Int64 = 8 << 20
        /// The most bytes of one loop's snapshots and records, and of its keys; what is larger is read alone.
        private static let maximumPart: Int64 = 1 << 20
        /// The size of a row besides its content.
        private static let rowBytes: Int64 = 256

        let loops: [Loop]
        /// The place in the list behind the block.
        let end: Int

        /// Plans a block of the first of these loops.
        init(_ list: ArraySlice<LoopID>, shard: Int64, _ session: Session) throws(JournalError) {
            let rows = try session.read(
                Self.sizes,
                [
                    .number(shard), .texts(list.map(\.name)), .number(.min), .number(Self.rowBytes),
                    // So many rows are too large, whatever they contain.
                    .number(Self.maximumPart / Self.rowBytes + 1),
                ])
            var (loops, end, left): ([Loop], Int, Int64) = ([], list.endIndex, Self.maximumBytes)
            for row in 0..<rows.rows {
                let (bytes, keyBytes) = (rows.number(row, 4), rows.number(row, 5))
                guard bytes <= Self.maximumPart else { continue }
                let index = list.startIndex + Int(rows.number(row, 0)) - 1
                let hasKeys = keyBytes <= Self.maximumPart
                left -= bytes + (hasKeys ? keyBytes : 0)
                guard left >= 0 else {
                    end = index
                    break
                }
                let begin = (sequence: rows.number(row, 2), part: rows.number(row, 3))
                loops.append(Loop(index: index, number: rows.number(row, 1), begin: begin, hasKeys: hasKeys))
            }
            (self.loops, self.end) = (loops, end)
        }

        // Lengths are known without reading the values themselves.
        private static let sizes: StaticString = """
            SELECT n.place, l.id, coalesce(b.sequence, $3), coalesce(b.part, -1), s.bytes + r.bytes, k.bytes
            FROM unnest($2) WITH ORDINALITY AS n(name, place)
            JOIN loops l ON l.shard = $1 AND l.name = n.name
            LEFT JOIN LATERAL (
                SELECT sequence, part FROM snapshots WHERE shard = $1 AND loop = l.id
                ORDER BY sequence DESC, part DESC, id DESC LIMIT 1 OFFSET 1
            ) o ON true
            LEFT JOIN LATERAL (
                SELECT sequence, part FROM runs
                WHERE shard = $1 AND loop = l.id AND (sequence, part) <= (o.sequence, o.part)
                ORDER BY sequence DESC, part DESC LIMIT 1
            ) b ON true
            CROSS JOIN LATERAL (
                SELECT coalesce(sum(length(model) + length(pending) + $4), 0)::bigint AS bytes FROM (
                    SELECT model, pending FROM snapshots WHERE shard = $1 AND loop = l.id
                    ORDER BY sequence DESC, part DESC, id DESC LIMIT 2) s
            ) s
            CROSS JOIN LATERAL (
                SELECT coalesce(sum(length(content) + $4), 0)::bigint AS bytes FROM (
                    SELECT content FROM runs WHERE shard = $1 AND loop = l.id
                        AND (sequence, part) >= (coalesce(b.sequence, $3), coalesce(b.part, -1))
                    ORDER BY sequence, part LIMIT $5) r
            ) r
            CROSS JOIN LATERAL (
                SELECT coalesce(sum(length(key) + $4), 0)::bigint AS bytes FROM (
                    SELECT key FROM outside_keys WHERE shard = $1 AND loop = l.id LIMIT $5) k
            ) k
            ORDER BY n.place
            """
    }
#endif
