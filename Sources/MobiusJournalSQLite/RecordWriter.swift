import GRDB
import MobiusJournal
import MobiusWire

/// Inserts records: one row each, by one prepared statement.
struct RecordWriter {
    private static let sql = """
        INSERT INTO records (\(RecordRow.columns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """

    // One buffer for the life of the journal: the key's bytes, then the coded effects.
    private var scratch: [UInt8] = []

    /// Inserts `records` in the current transaction, numbering loops and kinds as they come.
    mutating func write(
        _ records: [JournalRecord], _ database: Database, loops: inout NumberedLoops, kinds: inout NumberedKinds
    ) throws {
        let statement = try RawStatement(database, Self.sql)
        defer { statement.reset() }
        // Most commits are of one loop: look it up when it changes only.
        var current: (loop: LoopID, numbered: NumberedLoop)?
        for record in records {
            if current?.loop != record.loop {
                if let current { loops.update(current.loop, current.numbered) }
                current = (record.loop, try loops.findOrAdd(record.loop, database))
            }
            let place = RecordPlace.of(record, after: current?.numbered.last)
            let row = RecordRow(record, at: place, loop: current?.numbered.number ?? 0)
            try write(record, row, statement, database, kinds: &kinds)
            current?.numbered.last = place
        }
        if let current { loops.update(current.loop, current.numbered) }
    }

    private mutating func write(
        _ record: JournalRecord, _ row: RecordRow, _ statement: RawStatement, _ database: Database,
        kinds: inout NumberedKinds
    ) throws {
        var row = row
        scratch.removeAll(keepingCapacity: true)
        var keyCount = 0
        var event: [UInt8]?
        if case .event(let record) = record {
            if case .outside(let key) = record.source {
                scratch.append(contentsOf: key.utf8)
                keyCount = scratch.count
            }
            if !record.effects.isEmpty {
                try PayloadLists.append(record.effects, to: &scratch) { kind throws in
                    try kinds.number(kind, database)
                }
            }
            if let payload = record.event {
                row.kind = Int64(try kinds.number(payload.kind, database))
                event = payload.bytes
            }
        }
        try scratch.withUnsafeBytes { scratch in
            let key = UnsafeRawBufferPointer(rebasing: scratch[..<keyCount])
            let effects = UnsafeRawBufferPointer(rebasing: scratch[keyCount...])
            try (event ?? []).withUnsafeBytes { bytes in
                row.bind(to: statement)
                row.source == RecordRow.Source.outside ? statement.bindText(key, 12) : statement.bindNull(12)
                event == nil ? statement.bindNull(13) : statement.bind(bytes, 13)
                effects.isEmpty ? statement.bindNull(14) : statement.bind(effects, 14)
                statement.bind(row.checksum(key: key, event: bytes, effects: effects), 15)
                try statement.run()
            }
        }
    }
}
