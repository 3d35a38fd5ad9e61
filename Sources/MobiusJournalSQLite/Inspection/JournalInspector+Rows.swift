package import MobiusJournal
import MobiusWire

extension JournalInspector: JournalRowSource {
    /// What names the journal.
    package func owner() throws(JournalError) -> JournalOwner {
        try readRaw { database in
            let owner = try database.first("SELECT application, created_by FROM journal") { row in
                row.text(0).flatMap { application in
                    row.text(1).map { JournalOwner(identity: identity, application: application, createdBy: $0) }
                }
            }
            guard let owner else { throw JournalError.damaged(file.shown, "its program cannot be read") }
            return owner
        }
    }

    /// Calls `visit` for all rows of a table.
    package func visit(_ table: JournalTable, _ visit: ([JournalCell]) throws -> Void) throws {
        try readRaw { database in
            switch table {
            case .epochs:
                for epoch in try Epochs.all(database, path: file.shown) {
                    try visit([.number(Int64(bitPattern: epoch.number)), .bytes(Array(epoch.build.utf8))])
                }
            case .runs: try visitRuns(database, visit)
            case .idleLoops where try !IdleTable.isValid(database, path: file.shown): break
            default:
                // Journals of earlier programs lack some tables.
                guard try database.hasTable(table.sqlite.name) else { break }
                let columns = table.columns
                let isBare = try table == .outsideKeys && !OutsideKeyTable.hasMarks(database)
                try database.visit(isBare ? OutsideKeyTable.selectWithoutMarks : table.sqlite.select) { row in
                    try visit(
                        columns.indices.map { index in
                            columns[index] == .number
                                ? .number(row.number(CInt(index))) : .bytes(Array(row.bytes(CInt(index))))
                        })
                    return true
                }
            }
        }
    }

    private func visitRuns(_ database: Database, _ visit: ([JournalCell]) throws -> Void) throws {
        try database.visit("SELECT \(RecordBatch.columns), content FROM runs ORDER BY id") { row in
            guard let batch = RecordBatch(row), batch.matchesChecksum(row) else {
                throw JournalError.damaged(file.shown, "a row of records is not what was written")
            }
            try visit([
                .number(batch.id >> RecordBatch.bits), .number(Int64(bitPattern: batch.first.sequence)),
                .number(Int64(batch.first.part)), .number(batch.epoch), .number(Int64(bitPattern: batch.last.sequence)),
                .number(Int64(batch.last.part)), .number(Int64(batch.count)), .bytes(Array(row.bytes(8))),
            ])
            return true
        }
    }
}

extension JournalTable {
    /// The name and columns in SQLite, and the order of the rows.
    fileprivate var layout: (name: String, columns: String, order: String) {
        switch self {
        case .epochs: ("epochs", "epoch, build", "epoch")
        case .loops: ("loops", "id, name, first_sequence, first_part, checksum", "id")
        case .kinds: ("kinds", "id, type, version, content_type, checksum", "id")
        case .runs: ("runs", "\(RecordBatch.columns), content", "id")
        case .snapshots: ("snapshots", "loop, sequence, part, kind, model, hash, pending, checksum", "loop, id")
        case .outsideKeys: ("outside_keys", "loop, key, sequence, checksum, mark", "loop, sequence, key")
        case .replies: ("replies", "loop, sequence, kind, content, checksum", "loop, sequence")
        case .deadLetters:
            (
                "dead_letters", "loop, sequence, effect_index, failures, round, time, kind, effect, reason, checksum",
                "loop, id"
            )
        case .requeued: ("revived_letters", "loop, sequence, effect_index", "id")
        case .crashes:
            (
                "crashes", "loop, source, flags, replayed, kind, event, count, epoch, time, build, checksum", "id"
            )
        case .endedLoops: ("ended_loops", "loop, sequence, time, again, outstanding, removing, checksum", "loop")
        case .begunLoops: ("begun_loops", "loop, sequence, checksum", "loop")
        case .idleLoops: ("idle_loops", "loop, sequence, time, checksum", "loop")
        case .history: ("history", "loop, sequence, part, time, checksum", "id")
        }
    }

    /// The table's name in SQLite, and the statements that read and write its rows.
    var sqlite: (name: String, select: String, insert: String) {
        let (name, columns, order) = layout
        // Rows of loops that have woken are left behind.
        let these = self == .idleLoops ? "WHERE loop NOT IN (SELECT loop FROM active_loops)" : ""
        let places = self.columns.map { _ in "?" }.joined(separator: ", ")
        return (
            name, "SELECT \(columns) FROM \(name) \(these) ORDER BY \(order)",
            "INSERT INTO \(name) (\(columns)) VALUES (\(places))"
        )
    }
}
