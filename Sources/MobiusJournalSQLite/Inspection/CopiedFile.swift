package import MobiusJournal
import MobiusJournalTables
import MobiusWire

/// A journal in a file that is made from the rows of another journal, under `PATH-partial` until it is complete.
package final class CopiedFile: JournalRowTarget {
    private let target: BackupTarget
    private let owner: JournalOwner
    private let path: String
    private let lock: JournalLock
    private var database: Database?
    // The number of the last batch of the loop whose batches come.
    private var lastBatch: Int64 = 0
    // The number of rows that are only ordered.
    private var serial: Int64 = 0
    private var totals = IdleTotals()

    /// Makes the file.
    ///
    /// - Throws: ``JournalError``: `notWritable` when the file exists or cannot be made, `held` when a coordinator still has
    ///   the previous journal of that name open.
    package init(_ path: String, owner: JournalOwner) throws(JournalError) {
        self.path = path
        self.owner = owner
        lock = try JournalLock(journal: try JournalPath.resolve(path), shown: path)
        do throws(JournalError) {
            guard JournalPath.size(of: path + "-wal") == 0 else {
                throw JournalError(
                    .notWritable,
                    "There is a log \(path)-wal of another journal: move it away, and keep it, for it may hold the "
                        + "newest events.")
            }
            target = try BackupTarget(path, for: .journal)
        } catch {
            lock.release()
            throw error
        }
        try begin()
    }

    deinit {
        database?.close()
        target.release()
        lock.release()
    }

    private func begin() throws(JournalError) {
        try JournalError.translating(path) {
            let database = try Database(target.partial, shown: path)
            self.database = database
            // An incomplete copy is never used, so it needs neither a journal nor fsyncs of its own.
            try database.execute("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF")
            try database.execute(Schema.tables)
            try database.run(
                "INSERT INTO journal (id, identity, application, created_by) VALUES (1, ?, ?, ?)",
                [owner.identity.description, owner.application, owner.createdBy])
            try database.execute("PRAGMA application_id = \(Schema.applicationID)")
            try database.execute("PRAGMA user_version = \(Schema.version)")
            // One transaction for all rows.
            try database.run("BEGIN IMMEDIATE")
        }
    }

    /// Adds a row of a table.
    package func add(_ row: [JournalCell], to table: JournalTable) throws {
        guard let database else { return }
        try JournalError.translating(path) {
            switch table {
            case .epochs: try addEpoch(row, database)
            case .runs: try addRun(row, database)
            default:
                serial += 1
                let values = table.values(row, shard: Database.shard, serial: serial)
                try database.run(SQLStatement(table.insert, values))
            }
            if table == .idleLoops { totals.add(sequence: UInt64(bitPattern: row[1].number)) }
        }
    }

    private func addEpoch(_ row: [JournalCell], _ database: Database) throws {
        let build = String(decoding: row[1].bytes, as: UTF8.self)
        try Epochs.insert(.init(number: UInt64(bitPattern: row[0].number), build: build, writes: 0), database)
    }

    /// Batches of a loop are numbered without gaps.
    private func addRun(_ row: [JournalCell], _ database: Database) throws {
        let loop = row[0].number
        guard (1...RecordBatch.maximumLoop).contains(loop),
            let batch = RecordBatch(
                id: max(lastBatch + 1, RecordBatch.ids(of: loop).lowerBound), epoch: row[3].number,
                sequence: row[1].number, part: row[2].number, lastSequence: row[4].number, lastPart: row[5].number,
                count: row[6].number)
        else { throw JournalError(.damaged, "A row of records is not what was written.") }
        try row[7].bytes.withUnsafeBytes { try BatchTable.insert(batch, $0, database) }
        lastBatch = batch.id
    }

    /// Notes which loops are active, and ends the writing.
    package func seal() throws {
        guard let database else { return }
        try JournalError.translating(path) {
            let active = try database.rows(
                "SELECT id FROM loops WHERE id NOT IN (SELECT loop FROM idle_loops) ORDER BY id"
            ) { $0.number(0) }
            try database.perform { commit in
                for loop in active { IdleTable.activate(loop, &commit) }
                IdleTable.save(totals, &commit)
            }
            try database.run("COMMIT")
            database.close()
            self.database = nil
        }
    }

    /// The file under its partial name.
    package func written() throws -> any JournalRowSource {
        try JournalInspector(path: target.partial, pinsSnapshot: true)
    }

    /// Verifies the file; if it is sound, it gets its name.
    package func finish() throws -> JournalReport { try target.finish() }
}

extension JournalInspector {
    /// Opens a journal's file to copy it elsewhere, and keeps coordinators from opening it until `body` ends.
    ///
    /// - Throws: ``JournalError``: `held` when a coordinator has it open, `damaged` when the last commits are lost.
    package static func locked<T>(_ path: String, _ body: (JournalInspector) throws -> T) throws -> T {
        var lock: JournalLock?
        do throws(JournalError) {
            lock = try JournalLock(journal: try JournalPath.resolve(path), shown: path)
        } catch {
            // No coordinator can write in a folder that can only be read.
            guard error.code == .notWritable else { throw error }
        }
        defer { lock?.release() }
        let journal = try JournalInspector(path: path, pinsSnapshot: true)
        defer { journal.close() }
        if let lost = try journal.readRaw({ try journal.lostTail($0) }) { throw JournalError(.damaged, lost) }
        return try body(journal)
    }
}
