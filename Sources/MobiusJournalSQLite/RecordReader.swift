import MobiusJournal
import MobiusWire

/// Reads records batch by batch, and verifies the checksum of each batch and the place of each record.
struct RecordReader {
    /// The first record to read.
    enum Beginning {
        /// The record after this place.
        case after(RecordPlace)
        /// The record at this place.
        case at(RecordPlace)
    }

    let loop: LoopID
    let path: String
    let table: BatchTable
    let kinds: NumberedKinds

    /// Visits the records up to the one at `end`, with the epoch that wrote them; ends early when `visit` returns
    /// `false`.
    func read(
        _ database: Database, _ beginning: Beginning, upTo end: RecordPlace?,
        _ visit: (_ record: JournalRecord, _ place: RecordPlace, _ epoch: Int64) throws -> Bool
    ) throws {
        var isEarly = false
        var (last, expected): (RecordPlace?, RecordPlace?)
        switch beginning {
        case .after(let place): last = place
        case .at(let place): expected = place
        }
        let begin = expected ?? last
        guard let end, begin.map({ $0 <= end }) ?? true else {
            guard last == end else { throw missing }
            return
        }
        try visitRows(from: try begin.flatMap { try table.row(around: $0, database)?.id }, database) { statement in
            let batch = try self.batch(statement)
            guard batch.last >= begin ?? batch.last else { return true }
            var decoder = decoder(of: batch, statement)
            while let (place, record) = try decoder.next() {
                if let begin, expected == nil ? place <= begin : place < begin { continue }
                if place > end { return false }
                guard expected.map({ place == $0 }) ?? place.follows(last) else {
                    throw damaged("a record is missing before event \(place.sequence) of loop \(loop)")
                }
                (last, expected) = (place, nil)
                isEarly = try !visit(record, place, batch.epoch)
                if isEarly { return false }
            }
            return true
        }
        guard isEarly || last == end else { throw missing }
    }

    /// Visits the records between two places, of which neither need exist, until `visit` returns `false`.
    func read(
        _ database: Database, from begin: RecordPlace, upTo end: RecordPlace,
        _ visit: (_ record: JournalRecord, _ place: RecordPlace, _ epoch: Int64) throws -> Bool
    ) throws {
        guard begin <= end else { return }
        var last: RecordPlace?
        try visitRows(from: try table.row(around: begin, database)?.id, database) { statement in
            let batch = try self.batch(statement)
            guard batch.last >= begin else { return true }
            var decoder = decoder(of: batch, statement)
            while let (place, record) = try decoder.next() {
                if place < begin { continue }
                if place > end { return false }
                guard last.map(place.follows) ?? true else {
                    throw damaged("a record is missing before event \(place.sequence) of loop \(loop)")
                }
                last = place
                guard try visit(record, place, batch.epoch) else { return false }
            }
            return true
        }
    }

    /// The same for a replay, which needs all records and only them.
    func replay(
        _ database: Database, _ beginning: Beginning, upTo end: RecordPlace?, _ visit: (JournalRecord) throws -> Void
    ) throws {
        try read(database, beginning, upTo: end) { record, _, _ in
            try visit(record)
            return true
        }
    }

    /// The place of the event `sequence`, or of the event with which a restored loop continues if `sequence` was
    /// skipped.
    func beginning(from sequence: UInt64, _ database: Database) throws -> RecordPlace {
        let place = RecordPlace(sequence: sequence, part: 0)
        guard let batch = try table.row(around: place, database), batch.last < place,
            let next = try table.row(after: batch, database), next.first.part == 0
        else { return place }
        return next.first.sequence.isMultiple(of: RecordPlace.restoreStride) ? next.first : place
    }

    /// Visits the loop's rows with their content, until `visit` returns `false`.
    func visitRows(from id: Int64?, _ database: Database, _ visit: (Statement) throws -> Bool) throws {
        let ids = RecordBatch.ids(of: table.loop)
        try database.visit(
            "SELECT \(RecordBatch.columns), content FROM runs WHERE id >= ? AND id <= ? ORDER BY id",
            [id ?? ids.lowerBound, ids.upperBound], visit)
    }

    /// The batch in the current row; its checksum is verified.
    func batch(_ statement: Statement) throws(JournalError) -> RecordBatch {
        guard let batch = RecordBatch(statement), batch.matchesChecksum(statement) else {
            throw damaged(
                "the records of loop \(loop) near event \(UInt64(bitPattern: statement.number(2))) are not what was "
                    + "written")
        }
        return batch
    }

    /// Decodes the records of the current row.
    func decoder(of batch: RecordBatch, _ statement: Statement) -> BatchDecoder {
        BatchDecoder(statement.bytes(8), from: batch.first, loop: loop, kinds: kinds)
    }

    private var missing: JournalError { damaged("the last records of loop \(loop) are missing") }

    private func damaged(_ how: String) -> JournalError { .damaged(path, how) }
}
