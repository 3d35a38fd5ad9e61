import GRDB
import MobiusJournal
import MobiusWire

/// Inserts records: one row each, by one prepared statement.
struct RecordWriter {
    private static let sql = """
        INSERT INTO records (\(RecordRow.columns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """

    // One buffer for the life of the journal: the bytes of the key or reason, then the coded effects.
    private var scratch: [UInt8] = []

    private var letters = DeadLetterTable()

    /// Inserts `records` in the current transaction, numbering loops and kinds as they come, and what follows from them in
    /// the tables of keys and dead letters.
    mutating func write(
        _ records: [JournalRecord], _ database: Database, contents: inout StoredJournal, limits: JournalLimits
    ) throws {
        let statement = try RawStatement(database, Self.sql)
        defer { statement.reset() }
        let keys = try OutsideKeyTable(database)
        // Most commits are of one loop: look it up when it changes only.
        var current: (loop: LoopID, numbered: NumberedLoop)?
        for record in records {
            if current?.loop != record.loop {
                if let current { contents.loops.update(current.loop, current.numbered) }
                current = (record.loop, try contents.loops.findOrAdd(record.loop, database))
            }
            guard let numbered = current?.numbered else { continue }
            let place = RecordPlace.of(record, after: numbered.last)
            let row = RecordRow(record, at: place, loop: numbered.number)
            try write(record, row, statement, keys, database, kinds: &contents.kinds)
            if case .note(let effect, let note) = record {
                try letters.apply(
                    note, to: effect, loop: numbered.number, database, kinds: &contents.kinds, limit: limits.deadLetters
                )
            }
            current?.numbered.last = place
        }
        if let current { contents.loops.update(current.loop, current.numbered) }
    }

    private mutating func write(
        _ record: JournalRecord, _ row: RecordRow, _ statement: RawStatement, _ keys: OutsideKeyTable,
        _ database: Database, kinds: inout NumberedKinds
    ) throws {
        var row = row
        scratch.removeAll(keepingCapacity: true)
        let text = record.keyText
        if let text { scratch.append(contentsOf: text.utf8) }
        let keyCount = scratch.count
        if case .event(let event) = record, !event.effects.isEmpty {
            try PayloadLists.append(event.effects, dues: event.dues, to: &scratch) { kind throws in
                try kinds.number(kind, database)
            }
        }
        let payload = record.payload
        if let payload { row.kind = Int64(try kinds.number(payload.kind, database)) }
        try scratch.withUnsafeBytes { scratch in
            let key = UnsafeRawBufferPointer(rebasing: scratch[..<keyCount])
            let effects = UnsafeRawBufferPointer(rebasing: scratch[keyCount...])
            try (payload?.bytes ?? []).withUnsafeBytes { bytes in
                row.bind(to: statement)
                text == nil ? statement.bindNull(13) : statement.bindText(key, 13)
                payload == nil ? statement.bindNull(14) : statement.bind(bytes, 14)
                effects.isEmpty ? statement.bindNull(15) : statement.bind(effects, 15)
                statement.bind(row.checksum(key: key, event: bytes, effects: effects), 16)
                try statement.run()
            }
            if row.source == RecordRow.Source.outside {
                try keys.insert(key, loop: row.loop, sequence: row.sequence)
            }
        }
    }
}

extension JournalRecord {
    /// What stands in the row's key column.
    fileprivate var keyText: String? {
        switch self {
        case .event(let event):
            if case .outside(let key) = event.source { key } else { nil }
        case .note(_, .died(let letter)): letter.reason
        case .note: nil
        }
    }

    /// What stands in the row's event column, with its kind.
    fileprivate var payload: Payload? {
        switch self {
        case .event(let event): event.event
        case .note(_, .died(let letter)): letter.effect
        case .note(_, .revived(let effect, _, _)): effect
        case .note: nil
        }
    }
}
