#if PostgreSQL
    import FleetTestSupport
    import JournalStoreCompatibility
    import MobiusJournal
    import MobiusJournalPostgreSQL
    import MobiusWire
    import Synchronization
    import TestTraits
    import Testing

    @Suite(
        "A connection that is lost in mid-commit",
        .enabled(if: PostgreSQLServer.isTested, Comment(rawValue: PostgreSQLServer.reason)), .patient)
    struct LostConnectionTests {
        /// The number of records that another process finds.
        private func records(_ url: String) throws -> Int {
            let again = try open(url)
            defer { again.close() }
            var count = 0
            try again.readTail(of: .main) { _ in count += 1 }
            #expect(try again.verify().findings == [])
            return count
        }

        @Test("ended by an operator before its COMMIT: nothing is kept, and the error says so")
        func terminated() async throws {
            let server = try await PostgreSQLServer.shared()
            let url = try journal(in: server)
            let journal = try open(url)
            try journal.commit([History.start])
            let blocker = try await server.blocker("runs", at: url)
            let outcome = Later {
                failure { try journal.commit(History.batch(after: 0, count: 2)) }
            }
            try await server.waits(journal.backend)
            try await server.sql("SELECT pg_terminate_backend(\(journal.backend))")
            let error = try await outcome.value()
            #expect(error?.code == .notReadable, "\(String(describing: error))")
            #expect(error?.message.contains("nothing of that was kept") == true)
            try blocker.endInput()
            try await blocker.end()
            #expect(failure { try journal.commit(History.batch(after: 0, count: 2)) } != nil)
            #expect(try records(url) == 1)
            journal.close()
        }

        @Test("ended after its COMMIT but before the answer: the outcome is unknown, and the commit is there")
        func ambiguous() async throws {
            // A standby that never comes: COMMIT is done and does not answer.
            let server = try await PostgreSQLServer()
            let url = try journal(in: server)
            let journal = try open(url)
            try journal.commit([History.start])
            try await server.sql("ALTER SYSTEM SET synchronous_standby_names = 'nobody'")
            try await server.sql("SELECT pg_reload_conf()")
            // The server's processes hear of the setting one after the other: until then commits are answered.
            let outcome = Later { () -> (error: JournalError?, answered: UInt64) in
                var answered: UInt64 = 0
                while true {
                    let error = failure { try journal.commit(History.batch(after: answered * 2, count: 2)) }
                    if error != nil || answered > 100_000 { return (error, answered) }
                    answered += 1
                }
            }
            try await eventually("the commit waits for a standby") {
                try await server.sql(
                    "SELECT wait_event FROM pg_stat_activity WHERE pid = \(journal.backend)") == "SyncRep"
            }
            try await server.sql("SELECT pg_terminate_backend(\(journal.backend))")
            let (error, answered) = try await outcome.value()
            #expect(error?.code == .outcomeUnknown, "\(String(describing: error))")
            // It is never tried again.
            #expect(
                failure { try journal.commit(History.batch(after: answered * 2 + 2, count: 2)) }?.code
                    == .outcomeUnknown)
            journal.close()
            try await server.sql("ALTER SYSTEM RESET synchronous_standby_names")
            try await server.sql("SELECT pg_reload_conf()")
            #expect(try records(url) == 1 + 2 * (Int(answered) + 1))
        }

        @Test("the server's process is killed: the outcome is unknown, and what was acknowledged is there")
        func backendKilled() async throws {
            let server = try await PostgreSQLServer()
            let url = try journal(in: server)
            let journal = try open(url)
            try journal.commit([History.start] + History.batch(after: 0, count: 4))
            let blocker = try await server.blocker("runs", at: url)
            let outcome = Later {
                failure { try journal.commit(History.batch(after: 4, count: 2)) }
            }
            try await server.waits(journal.backend)
            server.kill(backend: journal.backend)
            #expect(try await outcome.value()?.code == .outcomeUnknown)
            journal.close()
            try blocker.endInput()
            try await blocker.end()
            try await eventually("PostgreSQL has restarted itself") { try await server.sql("SELECT 1") == "1" }
            #expect(try records(url) == 5)
        }

        @Test(
            "PostgreSQL is killed while it is written, and started again: nothing acknowledged is lost",
            arguments: 1...3)
        func killed(round: Int) async throws {
            let server = try await PostgreSQLServer()
            let url = try journal(in: server)
            let journal = try open(url)
            try journal.commit([History.start])
            let acknowledged = Mutex<UInt64>(0)
            let progress = Journey<UInt64>()
            let outcome = Later {
                var last: UInt64 = 0
                return failure {
                    while true {
                        let count = last % 7 + 1
                        try journal.commit(History.batch(after: last, count: count))
                        last += count
                        acknowledged.withLock { [last] in $0 = last }
                        progress.add(last)
                    }
                }
            }
            try await progress.wait(for: "commits") { $0.count >= 40 * round }
            try await server.kill()
            let code = try await outcome.value()?.code
            #expect(code == .outcomeUnknown || code == .notReadable, "\(String(describing: code))")
            journal.close()
            try await server.start()
            let again = try open(url)
            defer { again.close() }
            var events: [EventRecord] = []
            try again.readTail(of: .main) { if case .event(let event) = $0 { events.append(event) } }
            let last = try #require(events.last)
            #expect(last.sequence >= acknowledged.withLock { $0 })
            // Commits are there whole.
            #expect(History.lastOfBatch(last) == last.sequence)
            #expect(events.dropFirst().allSatisfy { History.lastOfBatch($0) != nil })
            #expect(try again.verify().findings == [])
            try again.commit(History.batch(after: last.sequence, count: 1))
        }

        @Test("a server that is not there is named without the password")
        func unreachable() throws {
            let error = failure {
                _ = try open("postgresql://app:s3cret@127.0.0.1:1/journals?sslpassword=0ther")
            }
            #expect(error?.code == .notReadable)
            let text = try #require(error).description
            #expect(text.contains("postgresql://app:***@127.0.0.1:1/journals"), "\(text)")
            #expect(!text.contains("s3cret") && !text.contains("0ther"))
        }

        @Test(
            "a URL that cannot be read is refused without its password",
            arguments: [
                "postgresql://app:s3cret/x@host/db", "postgresql://app:s3cret@[::1/db",
                "postgresql://app:s3cret@host:x/db",
                "postgresql://app:s3cret@127.0.0.1/db?nonsense=1",
                "postgresql://app@127.0.0.1/db?schema=x;&password=s3cret",
                "mysql://app:s3cret@127.0.0.1/db",
            ])
        func wrongURL(_ url: String) throws {
            let error = try #require(failure { _ = try open(url) })
            #expect(!error.description.contains("s3cret"), "\(error)")
        }
    }
#endif
