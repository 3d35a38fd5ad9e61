package import MobiusJournal
import MobiusJournalTables
import MobiusWire

extension JournalInspector: JournalRowSource {
    /// Returns the journal's identity, program and build.
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
            if let name = table.laterName, try !database.hasTable(name) { return }
            switch table {
            case .epochs:
                for epoch in try Epochs.all(database) {
                    try visit([.number(Int64(bitPattern: epoch.number)), .bytes(Array(epoch.build.utf8))])
                }
            case .runs: try visitRuns(database, visit)
            default:
                let columns = table.columns
                try database.visit(table.select(Database.shard)) { row in
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
