import GRDB
import MobiusJournal
import MobiusWire

/// Reads records back, one row at a time, and believes none without its checksum and its place.
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
    let kinds: NumberedKinds
    /// The events that are read without their event.
    let skipped: Set<UInt64>

    /// Visits the records of the loop numbered `number` up to the one at `end`, all as they are in the file.
    func read(
        _ database: Database, number: Int64, _ beginning: Beginning, upTo end: RecordPlace?,
        _ visit: (_ record: JournalRecord, _ place: RecordPlace, _ position: Int64) throws -> Void
    ) throws {
        let statement = try RawStatement(
            database,
            """
            SELECT \(RecordRow.columns), position FROM records
            WHERE loop = ? AND (sequence, part) > (?, ?) AND (sequence, part) <= (?, ?) ORDER BY sequence, part
            """)
        defer { statement.reset() }
        statement.bind(number, 1)
        var last: RecordPlace?
        var expected: RecordPlace?
        switch beginning {
        case .after(let place):
            last = place
            statement.bind(place.map { Int64(bitPattern: $0.sequence) } ?? -1, 2)
            statement.bind(place.map { Int64($0.part) } ?? 0, 3)
        case .at(let place):
            expected = place
            statement.bind(Int64(bitPattern: place.sequence), 2)
            statement.bind(Int64(place.part) - 1, 3)
        }
        statement.bind(end.map { Int64(bitPattern: $0.sequence) } ?? -1, 4)
        statement.bind(end.map { Int64($0.part) } ?? 0, 5)
        while try statement.next() {
            let (place, record) = try current(statement)
            guard expected.map({ place == $0 }) ?? place.follows(last) else {
                throw damaged("a record is missing before event \(place.sequence) of loop \(loop)")
            }
            (last, expected) = (place, nil)
            try visit(record, place, statement.number(16))
        }
        guard last == end else { throw damaged("the last records of loop \(loop) are missing") }
    }

    /// The same, for a replay: skipped events come without their event.
    func replay(
        _ database: Database, number: Int64, _ beginning: Beginning, upTo end: RecordPlace?,
        _ visit: (JournalRecord) throws -> Void
    ) throws {
        try read(database, number: number, beginning, upTo: end) { record, place, _ in
            try visit(!skipped.isEmpty && place.part == 0 && skipped.contains(place.sequence) ? record.skipped : record)
        }
    }

    /// The current row of a statement on all columns.
    func current(_ statement: RawStatement) throws(JournalError) -> (RecordPlace, JournalRecord) {
        let row = RecordRow(from: statement)
        guard row.matchesChecksum(statement), let sequence = UInt64(exactly: row.sequence),
            let part = UInt32(exactly: row.part)
        else { throw damaged("a record of loop \(loop) near event \(row.sequence) is not what was written") }
        let place = RecordPlace(sequence: sequence, part: part)
        let effect = EffectID(
            loop: loop, sequence: UInt64(bitPattern: row.effectSequence),
            index: UInt32(truncatingIfNeeded: row.effectIndex))
        guard part == 0 else { return (place, .note(effect, try note(row, effect, statement))) }
        let (effects, dues) = try effects(statement)
        let event = EventRecord(
            loop: loop, sequence: sequence, source: try source(row, effect, statement),
            event: row.kind == 0 ? nil : try payload(row, statement), effects: effects,
            ends: row.ends == 0 ? nil : effect, time: WallTime(milliseconds: row.time), dues: dues)
        return (place, .event(event))
    }

    private func source(
        _ row: RecordRow, _ effect: EffectID, _ statement: RawStatement
    ) throws(JournalError) -> SourceKey {
        switch row.source {
        case RecordRow.Source.start: return .start
        case RecordRow.Source.failure: return .failure(effect, round: UInt32(truncatingIfNeeded: row.number))
        case RecordRow.Source.timer: return .timer(effect, due: WallTime(milliseconds: row.epoch))
        case RecordRow.Source.report:
            let report = UInt32(truncatingIfNeeded: row.number)
            return .report(AttemptID(effect: effect, attempt: attempt(row)), number: report)
        case RecordRow.Source.outside:
            guard let key = statement.text(12) else { throw damaged("a key of loop \(loop) is no text") }
            return .outside(key)
        default: throw damaged("event \(row.sequence) of loop \(loop) has an unknown source")
        }
    }

    private func note(
        _ row: RecordRow, _ effect: EffectID, _ statement: RawStatement
    ) throws(JournalError) -> EffectNote {
        let number = UInt32(truncatingIfNeeded: row.number)
        let time = WallTime(milliseconds: row.time)
        switch row.source {
        case RecordRow.Source.ended: return .ended
        case RecordRow.Source.started: return .started(attempt(row))
        case RecordRow.Source.setback: return .setback(failures: number)
        case RecordRow.Source.died:
            guard let reason = statement.text(12) else { throw damaged("a reason in loop \(loop) is no text") }
            return .died(
                DeadLetter(
                    id: effect, effect: try payload(row, statement), reason: reason, failures: number,
                    round: UInt32(truncatingIfNeeded: row.attempt), time: time))
        case RecordRow.Source.revived: return .revived(try payload(row, statement), round: number, at: time)
        case RecordRow.Source.dropped: return .dropped
        default: throw damaged("a note after event \(row.sequence) of loop \(loop) is of an unknown sort")
        }
    }

    private func attempt(_ row: RecordRow) -> Attempt {
        Attempt(epoch: UInt64(bitPattern: row.epoch), number: UInt32(truncatingIfNeeded: row.attempt))
    }

    private func payload(_ row: RecordRow, _ statement: RawStatement) throws(JournalError) -> Payload {
        Payload(kind: try kinds.kind(UInt64(bitPattern: row.kind)), bytes: Array(statement.bytes(13)))
    }

    private func effects(_ statement: RawStatement) throws(JournalError) -> (effects: [Payload], dues: [TimerDue]) {
        guard !statement.isNull(14) else { return ([], []) }
        return try PayloadLists.effects(from: Array(statement.bytes(14))) { number throws(JournalError) in
            try kinds.kind(number)
        }
    }

    private func damaged(_ how: String) -> JournalError { .damaged(path, how) }
}
