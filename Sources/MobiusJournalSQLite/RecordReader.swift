import GRDB
import MobiusJournal
import MobiusWire

/// Reads records back, one row at a time, and believes none without its checksum and its place.
struct RecordReader {
    let loop: LoopID
    let path: String
    let kinds: NumberedKinds

    /// Visits the records of the loop numbered `number` after `snapshot`, or all, up to the one at `end`.
    func read(
        _ database: Database, number: Int64, after snapshot: RecordPlace?, upTo end: RecordPlace?,
        _ visit: (JournalRecord) throws -> Void
    ) throws {
        let statement = try RawStatement(
            database,
            """
            SELECT \(RecordRow.columns) FROM records WHERE loop = ? AND (sequence, part) > (?, ?)
            ORDER BY sequence, part
            """)
        defer { statement.reset() }
        statement.bind(number, 1)
        statement.bind(snapshot.map { Int64(bitPattern: $0.sequence) } ?? -1, 2)
        statement.bind(snapshot.map { Int64($0.part) } ?? 0, 3)
        var last = snapshot
        while try statement.next() {
            let (place, record) = try current(statement)
            guard place.follows(last) else {
                throw damaged("a record is missing before event \(place.sequence) of loop \(loop)")
            }
            last = place
            try visit(record)
        }
        guard last == end else { throw damaged("the last records of loop \(loop) are missing") }
    }

    private func current(_ statement: RawStatement) throws(JournalError) -> (RecordPlace, JournalRecord) {
        let row = RecordRow(from: statement)
        guard row.matchesChecksum(statement), let sequence = UInt64(exactly: row.sequence),
            let part = UInt32(exactly: row.part)
        else { throw damaged("a record of loop \(loop) near event \(row.sequence) is not what was written") }
        let place = RecordPlace(sequence: sequence, part: part)
        let effect = EffectID(
            loop: loop, sequence: UInt64(bitPattern: row.effectSequence),
            index: UInt32(truncatingIfNeeded: row.effectIndex))
        if row.source == RecordRow.Source.ended { return (place, .ended(effect)) }
        let event = EventRecord(
            loop: loop, sequence: sequence, source: try source(row, effect, statement),
            event: row.kind == 0 ? nil : try payload(row, statement), effects: try effects(statement),
            ends: row.ends == 0 ? nil : effect)
        return (place, .event(event))
    }

    private func source(
        _ row: RecordRow, _ effect: EffectID, _ statement: RawStatement
    ) throws(JournalError) -> SourceKey {
        switch row.source {
        case RecordRow.Source.start: return .start
        case RecordRow.Source.failure: return .failure(effect)
        case RecordRow.Source.report:
            let attempt = Attempt(
                epoch: UInt64(bitPattern: row.epoch), number: UInt32(truncatingIfNeeded: row.attempt))
            let report = UInt32(truncatingIfNeeded: row.number)
            return .report(AttemptID(effect: effect, attempt: attempt), number: report)
        case RecordRow.Source.outside:
            guard let key = statement.text(11) else { throw damaged("a key of loop \(loop) is no text") }
            return .outside(key)
        default: throw damaged("event \(row.sequence) of loop \(loop) has an unknown source")
        }
    }

    private func payload(_ row: RecordRow, _ statement: RawStatement) throws(JournalError) -> Payload {
        Payload(kind: try kinds.kind(UInt64(bitPattern: row.kind)), bytes: Array(statement.bytes(12)))
    }

    private func effects(_ statement: RawStatement) throws(JournalError) -> [Payload] {
        guard !statement.isNull(13) else { return [] }
        return try PayloadLists.effects(from: Array(statement.bytes(13))) { number throws(JournalError) in
            try kinds.kind(number)
        }
    }

    private func damaged(_ how: String) -> JournalError { .damaged(path, how) }
}
