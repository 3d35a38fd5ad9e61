#if PostgreSQL
    import MobiusJournal
    import MobiusJournalTables

    // A batch as a row of PostgreSQL, whose id is the loop's number.
    extension RecordBatch {
        /// Reads the columns sequence, part, epoch, last_sequence, last_part and count from `column` on; `nil` when they
        /// cannot belong to a batch.
        init?(_ rows: Rows, _ row: Int, _ column: Int, loop: Int64) {
            self.init(
                id: loop, epoch: rows.number(row, column + 2), sequence: rows.number(row, column),
                part: rows.number(row, column + 1), lastSequence: rows.number(row, column + 3),
                lastPart: rows.number(row, column + 4), count: rows.number(row, column + 5))
        }

        /// Whether the row matches its checksum, which is the seventh column, before the content.
        func matchesChecksum(_ rows: Rows, _ row: Int, _ column: Int) -> Bool {
            withExtendedLifetime(rows) { checksum(rows.bytes(row, column + 7)) == rows.number(row, column + 6) }
        }
    }
#endif
