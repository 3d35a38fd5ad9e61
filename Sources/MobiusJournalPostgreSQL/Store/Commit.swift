#if PostgreSQL
    import MobiusJournal

    /// The statements of one transaction, which go to the server in one pipeline.
    struct Commit {
        private(set) var statements: [Statement]
        /// The shard that is written.
        let shard: Int64
        /// The bytes of records and models that it adds, less those that it is known to delete.
        var added: Int64 = 0
        // The statements that delete such bytes.
        private var freeing: [Int] = []

        /// Begins with the fence: nothing is written when another epoch has begun.
        init(shard: Int64, epoch: UInt64) {
            self.shard = shard
            statements = [
                Statement("BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE"),
                Statement("SELECT fence($1, $2)", [.number(shard), .bits(epoch)]),
            ]
        }

        /// Adds a statement.
        mutating func add(_ sql: StaticString, _ values: [Statement.Value]) {
            statements.append(Statement(sql, values))
        }

        /// Adds a statement that returns a row for each row of records or model that it deletes, with the number of its bytes:
        /// how many these are is known when it has run.
        mutating func addFreeing(_ sql: StaticString, _ values: [Statement.Value]) {
            freeing.append(next)
            add(sql, values)
        }

        /// How many bytes of records and models the journal has more than before.
        func growth(_ results: [QueryResult]) -> Int64 {
            freeing.reduce(added) { growth, index in
                (0..<results[index].rows).reduce(growth) { $0 - results[index].number($1, 0) }
            }
        }

        /// The index that the next statement gets.
        var next: Int { statements.count }

        /// Runs the transaction and returns when it is on disk.
        ///
        /// - Returns: the results, by the statements' indices.
        func run(_ session: Session) throws(JournalError) -> [QueryResult] {
            session.prefetch.drop()
            let results: [QueryResult]
            do throws(PipelineError) {
                results = try session.connection.run(statements + [Statement("COMMIT")])
            } catch {
                throw error.writing(session.url, commit: statements.count)
            }
            guard results.last?.command == "COMMIT" else {
                throw JournalError(
                    .notWritable,
                    "PostgreSQL rolled a commit of the journal \(session.url.shown) back: see its log, then start again."
                )
            }
            return results
        }
    }
#endif
