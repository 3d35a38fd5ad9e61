#if PostgreSQL
    import MobiusJournal
    import MobiusJournalTables

    extension Commit {
        /// Runs the transaction in one round trip, and returns when it is on disk.
        ///
        /// It begins with the fence: nothing is written when another epoch has begun.
        ///
        /// - Returns: the results, by the statements' indices.
        func run(epoch: UInt64, _ session: Session) throws(JournalError) -> [Rows] {
            session.prefetch.drop()
            let fence = [
                SQLStatement("BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE"),
                SQLStatement("SELECT fence($1, $2)", [.number(shard), .bits(epoch)]),
            ]
            let results: [Rows]
            do throws(PipelineError) {
                results = try session.connection.run(fence + statements + [SQLStatement("COMMIT")])
            } catch {
                throw error.writing(session.url, commit: fence.count + statements.count)
            }
            guard results.last?.command == "COMMIT" else {
                throw JournalError(
                    .notWritable,
                    "PostgreSQL rolled a commit of the journal \(session.shown) back: see its log, then start again.")
            }
            return Array(results[fence.count..<fence.count + statements.count])
        }
    }
#endif
