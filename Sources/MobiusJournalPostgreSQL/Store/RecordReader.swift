#if PostgreSQL
    import MobiusJournal
    import MobiusJournalTables
    import MobiusWire

    /// Reads records batch by batch, and verifies the checksum of each batch and the place of each record.
    struct RecordReader {
        let loop: LoopID
        let table: RunTable
        let kinds: NumberedKinds
        let session: Session

        /// Visits the records after a place, or from the loop's first one on, up to the one at `end`, which must exist.
        func replay(
            after begin: RecordPlace?, of loop: NumberedLoop, upTo end: RecordPlace?,
            _ visit: (JournalRecord) throws -> Void
        ) throws {
            var last = begin
            guard let end, begin.map({ $0 <= end }) ?? true else {
                guard last == end else { throw missing }
                return
            }
            let first = try begin.flatMap { place throws(JournalError) in try table.row(around: place, session)?.first }
            try table.visit(from: first, session) { rows, row in
                let batch = try self.batch(rows, row)
                guard batch.last >= begin ?? batch.last else { return true }
                return try decode(batch, rows, row) { place, record in
                    if let begin, place <= begin { return true }
                    if place > end { return false }
                    guard last.map(place.follows) ?? (place == loop.first) else { throw gap(before: place) }
                    last = place
                    try visit(record)
                    return true
                }
            }
            guard last == end else { throw missing }
        }

        /// Visits the records between two places, of which neither need exist, until `visit` returns `false`.
        func read(
            from begin: RecordPlace, upTo end: RecordPlace,
            _ visit: (_ record: JournalRecord, _ place: RecordPlace, _ epoch: Int64) throws -> Bool
        ) throws {
            guard begin <= end else { return }
            var last: RecordPlace?
            let first = try table.row(around: begin, session)?.first
            try table.visit(from: first, session) { rows, row in
                let batch = try self.batch(rows, row)
                guard batch.last >= begin else { return true }
                return try decode(batch, rows, row) { place, record in
                    if place < begin { return true }
                    if place > end { return false }
                    guard last.map(place.follows) ?? true else { throw gap(before: place) }
                    last = place
                    return try visit(record, place, batch.epoch)
                }
            }
        }

        /// The batch in a row; its checksum is verified.
        func batch(_ rows: Rows, _ row: Int) throws(JournalError) -> RecordBatch {
            guard let batch = RecordBatch(rows, row, 0, loop: table.loop), batch.matchesChecksum(rows, row, 0) else {
                throw damaged(
                    "the records of loop \(loop) near event \(UInt64(bitPattern: rows.number(row, 0))) are not what was "
                        + "written")
            }
            return batch
        }

        /// Decodes the records of a row until `visit` returns `false`.
        func decode(
            _ batch: RecordBatch, _ rows: Rows, _ row: Int,
            _ visit: (RecordPlace, JournalRecord) throws -> Bool
        ) throws -> Bool {
            try withExtendedLifetime(rows) {
                var decoder = BatchDecoder(rows.bytes(row, 7), from: batch.first, loop: loop, kinds: kinds)
                while let (place, record) = try decoder.next() {
                    guard try visit(place, record) else { return false }
                }
                return true
            }
        }

        private var missing: JournalError { damaged("the last records of loop \(loop) are missing") }

        private func gap(before place: RecordPlace) -> JournalError {
            damaged("a record is missing before event \(place.sequence) of loop \(loop)")
        }

        private func damaged(_ how: String) -> JournalError { .damaged(session.url.shown, how) }
    }
#endif
