#if PostgreSQL
    package import MobiusJournal
    import MobiusJournalTables
    import MobiusWire

    extension PostgreSQLInspector: JournalRowSource {
        /// Returns the journal's identity, program and build.
        package func owner() throws(JournalError) -> JournalOwner {
            let row = try session.read(
                "SELECT identity, application, created_by FROM shards WHERE shard = $1", [.number(shard)])
            guard row.rows > 0, let identity = row.text(0, 0).flatMap({ JournalID($0) }) else {
                throw JournalError.damaged(shown, "its identity cannot be read")
            }
            guard let application = row.text(0, 1), let build = row.text(0, 2), !row.isNull(0, 1) else {
                throw JournalError(
                    .foreign,
                    "The journal \(shown) is empty: no coordinator has opened it, so there is nothing to copy.")
            }
            return JournalOwner(identity: identity, application: application, createdBy: build)
        }

        /// Calls `visit` for all rows of a table; the journal must be pinned.
        package func visit(_ table: JournalTable, _ visit: ([JournalCell]) throws -> Void) throws {
            precondition(isPinned, "Only the rows of one moment are a journal.")
            if let name = table.laterName, try !session.hasTable(name) { return }
            if table == .epochs { _ = try Epochs.all(shard: shard, session) }
            try execute("DECLARE copied NO SCROLL CURSOR FOR \(table.select(shard))")
            let columns = table.columns
            while true {
                let rows = try execute("FETCH 256 FROM copied")
                for row in 0..<rows.rows {
                    if table == .runs { try verify(rows, row) }
                    try visit(
                        columns.indices.map { index in
                            columns[index] == .number
                                ? .number(rows.number(row, index)) : .bytes(rows.array(row, index))
                        })
                }
                guard rows.rows > 0 else { break }
            }
            try execute("CLOSE copied")
        }

        @discardableResult
        private func execute(_ text: String) throws(JournalError) -> Rows {
            do throws(PipelineError) { return try session.connection.execute([text])[0] } catch {
                throw error.reading(session.url)
            }
        }

        private func verify(_ rows: Rows, _ row: Int) throws(JournalError) {
            let batch = RecordBatch(
                id: rows.number(row, 0), epoch: rows.number(row, 3), sequence: rows.number(row, 1),
                part: rows.number(row, 2), lastSequence: rows.number(row, 4), lastPart: rows.number(row, 5),
                count: rows.number(row, 6))
            let isWhole = withExtendedLifetime(rows) { batch?.checksum(rows.bytes(row, 7)) == rows.number(row, 8) }
            guard isWhole else { throw JournalError.damaged(shown, "a row of records is not what was written") }
        }
    }
#endif
