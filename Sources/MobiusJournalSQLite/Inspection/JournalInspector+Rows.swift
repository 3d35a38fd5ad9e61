import GRDB
package import MobiusJournal
import MobiusWire

extension JournalInspector: JournalRowSource {
    /// What names the journal.
    package func owner() throws(JournalError) -> JournalOwner {
        try readRaw { database in
            let statement = try RawStatement(database, "SELECT application, created_by FROM journal")
            defer { statement.reset() }
            guard try statement.next(), let application = statement.text(0), let build = statement.text(1) else {
                throw JournalError.damaged(file.shown, "its program cannot be read")
            }
            return JournalOwner(identity: identity, application: application, createdBy: build)
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
                guard try hasTable(table.sqlite.name, database) else { break }
                let statement = try RawStatement(database, table.sqlite.select)
                defer { statement.reset() }
                let columns = table.columns
                while try statement.next() {
                    try visit(
                        columns.indices.map { index in
                            columns[index] == .number
                                ? .number(statement.number(CInt(index))) : .bytes(Array(statement.bytes(CInt(index))))
                        })
                }
            }
        }
    }

    private func hasTable(_ name: String, _ database: Database) throws -> Bool {
        let statement = try RawStatement(
            database, "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = '\(name)'")
        defer { statement.reset() }
        return try statement.next() && statement.number(0) > 0
    }

    private func visitRuns(_ database: Database, _ visit: ([JournalCell]) throws -> Void) throws {
        let statement = try RawStatement(database, "SELECT \(RecordBatch.columns), content FROM runs ORDER BY id")
        defer { statement.reset() }
        while try statement.next() {
            guard let batch = RecordBatch(statement), batch.matchesChecksum(statement) else {
                throw JournalError.damaged(file.shown, "a row of records is not what was written")
            }
            try visit([
                .number(batch.id >> RecordBatch.bits), .number(Int64(bitPattern: batch.first.sequence)),
                .number(Int64(batch.first.part)), .number(batch.epoch), .number(Int64(bitPattern: batch.last.sequence)),
                .number(Int64(batch.last.part)), .number(Int64(batch.count)), .bytes(Array(statement.bytes(8))),
            ])
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
        case .outsideKeys: ("outside_keys", "loop, key, sequence, checksum", "loop, sequence, key")
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
