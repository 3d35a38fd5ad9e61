import GRDB
import MobiusJournal
import MobiusWire

/// Reads the records of one loop in the formats 1 and 2, which had a row for each.
struct Format2Reader {
    let loop: LoopID
    let path: String
    let kinds: NumberedKinds

    /// Visits all records in order, with their places and their positions among all records.
    func read(
        _ database: Database, number: Int64,
        _ visit: (_ record: JournalRecord, _ place: RecordPlace, _ position: Int64) throws -> Void
    ) throws {
        let statement = try RawStatement(
            database,
            "SELECT \(Format2Row.columns), position FROM records WHERE loop = ? ORDER BY sequence, part")
        defer { statement.reset() }
        statement.bind(number, 1)
        var last: RecordPlace?
        while try statement.next() {
            let (place, record) = try current(statement)
            // The first one need not be the loop's start: there was compaction.
            guard last == nil || place.follows(last) else {
                throw damaged("a record is missing before event \(place.sequence) of loop \(loop)")
            }
            last = place
            try visit(record, place, statement.number(16))
        }
    }

    /// The current row of a statement on all columns.
    func current(_ statement: RawStatement) throws(JournalError) -> (RecordPlace, JournalRecord) {
        let row = Format2Row(from: statement)
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
        _ row: Format2Row, _ effect: EffectID, _ statement: RawStatement
    ) throws(JournalError) -> SourceKey {
        switch RecordSort(rawValue: UInt8(truncatingIfNeeded: row.source)) {
        case .start: return .start
        case .failure: return .failure(effect, round: UInt32(truncatingIfNeeded: row.number))
        case .timer: return .timer(effect, due: WallTime(milliseconds: row.epoch))
        case .report:
            let report = UInt32(truncatingIfNeeded: row.number)
            return .report(AttemptID(effect: effect, attempt: attempt(row)), number: report)
        case .outside:
            guard let key = statement.text(12) else { throw damaged("a key of loop \(loop) is no text") }
            return .outside(key)
        default: throw damaged("event \(row.sequence) of loop \(loop) has an unknown source")
        }
    }

    private func note(
        _ row: Format2Row, _ effect: EffectID, _ statement: RawStatement
    ) throws(JournalError) -> EffectNote {
        let number = UInt32(truncatingIfNeeded: row.number)
        let time = WallTime(milliseconds: row.time)
        switch RecordSort(rawValue: UInt8(truncatingIfNeeded: row.source)) {
        case .ended: return .ended
        case .started: return .started(attempt(row))
        case .setback: return .setback(failures: number)
        case .died:
            guard let reason = statement.text(12) else { throw damaged("a reason in loop \(loop) is no text") }
            return .died(
                DeadLetter(
                    id: effect, effect: try payload(row, statement), reason: reason, failures: number,
                    round: UInt32(truncatingIfNeeded: row.attempt), time: time))
        case .revived: return .revived(try payload(row, statement), round: number, at: time)
        case .dropped: return .dropped
        default: throw damaged("a note after event \(row.sequence) of loop \(loop) is of an unknown sort")
        }
    }

    private func attempt(_ row: Format2Row) -> Attempt {
        Attempt(epoch: UInt64(bitPattern: row.epoch), number: UInt32(truncatingIfNeeded: row.attempt))
    }

    private func payload(_ row: Format2Row, _ statement: RawStatement) throws(JournalError) -> Payload {
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
