import GRDB
import MobiusJournal
import MobiusWire

/// Reads records back, row by row, and believes none without its row's checksum and its place.
struct RecordReader {
    /// Where to begin.
    enum Beginning {
        /// Behind this place; `nil` is before the loop's start.
        case after(RecordPlace?)
        /// With the record of this place.
        case at(RecordPlace)
    }

    let loop: LoopID
    let path: String
    let table: RunTable
    let kinds: NumberedKinds

    /// Visits the records up to the one at `end`, all as they are in the file, with the epoch that wrote them; ends early
    /// when it answers `false`.
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
            let run = try self.run(statement)
            guard run.last >= begin ?? run.last else { return true }
            var decoder = decoder(of: run, statement)
            while let (place, record) = try decoder.next() {
                if let begin, expected == nil ? place <= begin : place < begin { continue }
                if place > end { return false }
                guard expected.map({ place == $0 }) ?? place.follows(last) else {
                    throw damaged("a record is missing before event \(place.sequence) of loop \(loop)")
                }
                (last, expected) = (place, nil)
                isEarly = try !visit(record, place, run.epoch)
                if isEarly { return false }
            }
            return true
        }
        guard isEarly || last == end else { throw missing }
    }

    /// The same for a replay, which wants all records and nothing beside them.
    func replay(
        _ database: Database, _ beginning: Beginning, upTo end: RecordPlace?, _ visit: (JournalRecord) throws -> Void
    ) throws {
        try read(database, beginning, upTo: end) { record, _, _ in
            try visit(record)
            return true
        }
    }

    /// The place of the event `sequence`; or of the one that a restoration let follow the numbers before.
    func beginning(from sequence: UInt64, _ database: Database) throws -> RecordPlace {
        let place = RecordPlace(sequence: sequence, part: 0)
        guard let run = try table.row(around: place, database), run.last < place,
            let next = try table.row(after: run, database), next.first.part == 0
        else { return place }
        return next.first.sequence.isMultiple(of: RecordPlace.stretch) ? next.first : place
    }

    /// Visits the loop's rows, with their content, until it answers `false`.
    func visitRows(from id: Int64?, _ database: Database, _ visit: (RawStatement) throws -> Bool) throws {
        let statement = try RawStatement(
            database, "SELECT \(Run.columns), content FROM runs WHERE id >= ? AND id <= ? ORDER BY id")
        defer { statement.reset() }
        statement.bind(id ?? Run.ids(of: table.loop).lowerBound, 1)
        statement.bind(Run.ids(of: table.loop).upperBound, 2)
        while try statement.next() {
            guard try visit(statement) else { return }
        }
    }

    /// The current row, made sure of.
    func run(_ statement: RawStatement) throws(JournalError) -> Run {
        guard let run = Run(statement), run.matchesChecksum(statement) else {
            throw damaged(
                "the records of loop \(loop) near event \(UInt64(bitPattern: statement.number(2))) are not what was written"
            )
        }
        return run
    }

    /// Reads the records of the current row.
    func decoder(of run: Run, _ statement: RawStatement) -> RunDecoder {
        RunDecoder(statement.bytes(8), from: run.first, loop: loop, kinds: kinds)
    }

    private var missing: JournalError { damaged("the last records of loop \(loop) are missing") }

    private func damaged(_ how: String) -> JournalError { .damaged(path, how) }
}
