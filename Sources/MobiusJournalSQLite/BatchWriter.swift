import MobiusJournal
import MobiusJournalTables
import MobiusWire

/// Gathers consecutive records of one loop and inserts them as few batches.
struct BatchWriter {
    /// The id of the batch that is inserted next.
    private(set) var nextRow: Int64
    private var batch: RecordBatch?
    private var encoder = BatchEncoder()

    /// Begins with the batch id `nextRow`.
    init(nextRow: Int64) {
        self.nextRow = nextRow
    }

    /// Begins with the batch id `nextRow` in the same memory; gathered records are dropped.
    mutating func restart(at nextRow: Int64) {
        self.nextRow = nextRow
        batch = nil
        encoder.reset()
    }

    /// Adds the record at `place`; first inserts the gathered batch if the record cannot continue it.
    mutating func append(
        _ record: JournalRecord, at place: RecordPlace, epoch: Int64, _ database: Database,
        kinds: inout Kinds
    ) throws {
        if let batch,
            !batch.isContinued(at: place) || batch.epoch != epoch || encoder.count >= RecordBatch.maximumBytes
        {
            try finish(database)
        }
        try encoder.append(record, at: place) { kind in
            try kinds.known(kind) ?? database.perform { kinds.number(kind, &$0) }
        }
        if batch == nil {
            batch = RecordBatch(id: nextRow, epoch: epoch, first: place)
        } else {
            batch?.last = place
            batch?.count += 1
        }
    }

    /// Inserts the gathered records, if any.
    mutating func finish(_ database: Database) throws {
        guard let batch else { return }
        try BatchTable.insert(batch, encoder.bytes, database)
        restart(at: batch.id + 1)
    }
}
