import GRDB
import MobiusJournal
import MobiusWire

/// Gathers consecutive records of one loop and inserts them as few rows.
struct RunWriter {
    /// The id of the row that is inserted next.
    private(set) var nextRow: Int64
    private var run: Run?
    private var encoder = RunEncoder()

    /// Begins with the row `nextRow`.
    init(nextRow: Int64) {
        self.nextRow = nextRow
    }

    /// Begins with the row `nextRow` in the same memory, whatever was gathered.
    mutating func restart(at nextRow: Int64) {
        self.nextRow = nextRow
        run = nil
        encoder.reset()
    }

    /// Adds a record that stands at `place`; inserts those before it if it must begin a row.
    mutating func append(
        _ record: JournalRecord, at place: RecordPlace, epoch: Int64, _ database: Database,
        kinds: inout NumberedKinds
    ) throws {
        if let run, !run.isContinued(at: place) || run.epoch != epoch || encoder.count >= Run.maximumBytes {
            try finish(database)
        }
        try encoder.append(record, at: place) { kind in try kinds.number(kind, database) }
        if run == nil {
            run = Run(id: nextRow, epoch: epoch, first: place, last: place)
        } else {
            run?.last = place
            run?.count += 1
        }
    }

    /// Inserts what was added since, if anything.
    mutating func finish(_ database: Database) throws {
        guard let run else { return }
        try RunTable.insert(run, encoder.bytes, database)
        restart(at: run.id + 1)
    }
}
