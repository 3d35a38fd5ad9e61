#if PostgreSQL
    package import Logging
    package import MobiusJournal
    import MobiusJournalTables
    import MobiusWire

    /// A journal in PostgreSQL that is made from the rows of another journal, in one transaction.
    package final class CopiedDatabase: JournalRowTarget {
        private static let maximumStatements = 512
        private static let maximumBytes = 4 << 20

        private let session: Session
        private let owner: JournalOwner
        private let shard: Int64 = 0
        private var statements: [SQLStatement] = []
        private var bytes = 0
        private var epoch: Int64 = 0
        private var totals = IdleTotals()
        // Numbers of rows that are only ordered.
        private var serial: Int64 = 0

        /// Makes the schema of the URL with an empty journal, unless it has one.
        ///
        /// - Throws: ``JournalError``: `notWritable` when the journal is not empty, or as ``PostgreSQLSchema/prepare(url:logger:)``.
        package init(
            url: String, owner: JournalOwner, logger: Logger = Logger(label: "mobius.journal")
        ) throws(JournalError) {
            try PostgreSQLSchema.prepare(url: url, logger: logger)
            self.owner = owner
            session = try Session(try JournalURL(url), logger: logger)
            _ = try session.read("BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE")
            let row = try session.read(
                "SELECT 1 FROM shards WHERE shard = $1 AND epoch = 0 AND application IS NULL FOR UPDATE",
                [.number(shard)])
            guard row.rows == 1 else {
                throw JournalError(
                    .notWritable,
                    "There is a journal at \(session.url.shown) already, which a coordinator has opened: choose another "
                        + "?schema=NAME.")
            }
        }

        /// Adds a row of a table.
        package func add(_ row: [JournalCell], to table: JournalTable) throws {
            serial += 1
            bytes += row.reduce(0) { $0 + $1.bytes.count }
            var values = table.values(row, shard: shard, serial: serial)
            switch table {
            case .epochs:
                epoch = row[0].number
                let build = String(decoding: row[1].bytes, as: UTF8.self)
                values.append(.number(Epochs.checksum(UInt64(bitPattern: epoch), build)))
            case .runs:
                guard
                    let batch = RecordBatch(
                        id: row[0].number, epoch: row[3].number, sequence: row[1].number, part: row[2].number,
                        lastSequence: row[4].number, lastPart: row[5].number, count: row[6].number)
                else { throw JournalError(.damaged, "A row of records is not what was written.") }
                values.append(.number(row[7].bytes.withUnsafeBytes { batch.checksum($0) }))
            case .idleLoops: totals.add(sequence: UInt64(bitPattern: row[1].number))
            default: break
            }
            statements.append(SQLStatement(table.insert, values))
            if statements.count >= Self.maximumStatements || bytes >= Self.maximumBytes { try flush() }
        }

        private func flush() throws(JournalError) {
            guard !statements.isEmpty else { return }
            do throws(PipelineError) { _ = try session.connection.run(statements) } catch {
                throw error.writing(session.url, commit: .max)
            }
            statements = []
            bytes = 0
        }

        /// Stores whose journal it is, and which loops are active.
        package func seal() throws {
            try flush()
            try activateLoops()
            statements.append(SQLStatement(IdleTable.saving, IdleTable.saved(totals, shard: shard)))
            statements.append(
                SQLStatement(
                    "UPDATE shards SET identity = $2, application = $3, created_by = $4, epoch = $5 WHERE shard = $1",
                    [
                        .number(shard), .name(owner.identity.description), .text(owner.application),
                        .text(owner.createdBy), .number(epoch),
                    ]))
            try flush()
        }

        private func activateLoops() throws(JournalError) {
            var cursor = Int64.min
            while true {
                let page = try session.read(
                    """
                    SELECT id FROM loops l WHERE shard = $1 AND id > $2
                        AND NOT EXISTS (SELECT 1 FROM idle_loops i WHERE i.shard = l.shard AND i.loop = l.id)
                    ORDER BY id LIMIT 10000
                    """, [.number(shard), .number(cursor)])
                guard page.rows > 0 else { return }
                let loops = (0..<page.rows).map { page.number($0, 0) }
                statements.append(
                    SQLStatement(
                        """
                        INSERT INTO active_loops (shard, loop, checksum)
                        SELECT $1, loop, checksum FROM unnest($2::bigint[], $3::bigint[]) AS active (loop, checksum)
                        """, [.number(shard), .numbers(loops), .numbers(loops.map { IdleTable.activeSum($0) })]))
                try flush()
                cursor = loops.last ?? .max
            }
        }

        /// The journal before its commit.
        package func written() throws -> any JournalRowSource { inspector }

        private var inspector: PostgreSQLInspector {
            PostgreSQLInspector(session, shard: shard, identity: owner.identity, isPinned: true)
        }

        /// Verifies the journal, and commits it if it is sound.
        package func finish() throws -> JournalReport {
            let report = try inspector.verify()
            guard report.isSound else { return report }
            do throws(PipelineError) {
                let results = try session.connection.run([SQLStatement("COMMIT")])
                guard results[0].command == "COMMIT" else {
                    throw PipelineError(statement: 0, error: .lost("the transaction was rolled back"))
                }
            } catch {
                throw error.writing(session.url, commit: 0)
            }
            return report
        }
    }
#endif
