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

        @Test("the wait for the replica is cancelled: the outcome is unknown, for nobody else may have the commit")
        func unreplicated() async throws {
            let server = try await PostgreSQLServer()
            let url = try journal(in: server)
            // Its user hears of no warnings, unless the journal asks for them.
            try await server.sql("ALTER ROLE mobius SET client_min_messages = 'error'")
            let journal = try open(url)
            let leases = try openLeases(url)
            try await server.sql("ALTER SYSTEM SET synchronous_standby_names = 'nobody'")
            try await server.sql("SELECT pg_reload_conf()")
            try await eventually("all know that there is a standby to wait for") {
                try await server.sql("SHOW synchronous_standby_names") == "nobody"
            }
            func cancelled(
                _ backend: Int32, _ work: @escaping @Sendable () throws -> Void
            ) async throws -> JournalError? {
                let outcome = Later {
                    // The server's processes hear of the setting one after the other: until then commits are answered.
                    while true { if let error = failure(work) { return error } }
                }
                try await eventually("\(backend) waits for a standby") {
                    try await server.sql("SELECT wait_event FROM pg_stat_activity WHERE pid = \(backend)") == "SyncRep"
                }
                try await server.sql("SELECT pg_cancel_backend(\(backend))")
                return try await outcome.value()
            }
            let written = Mutex<UInt64>(0)
            let error = try await cancelled(journal.backend) {
                let last = written.withLock { $0 }
                try journal.commit(last == 0 ? [History.start] : History.batch(after: last - 1, count: 1))
                written.withLock { $0 += 1 }
            }
            #expect(error?.code == .outcomeUnknown, "\(String(describing: error))")
            #expect(error?.message.contains("runbook") == true)
            #expect(failure { try journal.commit(History.batch(after: 50, count: 1)) }?.code == .outcomeUnknown)
            journal.close()
            let holder = LeaseHolder(process: Incarnation(high: 1, low: 2), name: "holder")
            let taking = try await cancelled(leases.backend) {
                _ = try leases.acquire(leases.shard(), as: holder, for: .seconds(60))
            }
            #expect(taking?.code == .notReadable, "\(String(describing: taking))")
            leases.close()
            try await server.sql("ALTER SYSTEM RESET synchronous_standby_names")
            try await server.sql("SELECT pg_reload_conf()")
            #expect(try records(url) == Int(written.withLock { $0 }) + 1)
        }

        @Test("limits that a role or a database sets end no statement of a journal")
        func roleLimits() async throws {
            let server = try await PostgreSQLServer()
            let made = try journal(in: server)
            try await server.sql("CREATE ROLE limited SUPERUSER LOGIN")
            for setting in ["statement_timeout", "lock_timeout", "idle_session_timeout"] {
                let isKnown = try await server.sql("SELECT count(*) FROM pg_settings WHERE name = '\(setting)'")
                if isKnown == "1" { try await server.sql("ALTER ROLE limited SET \(setting) = '20ms'") }
            }
            let url = made.replacing("mobius@", with: "limited@")
            let journal = try open(url)
            // To make the session takes longer than an idle one may last, and the commit waits longer for it than it may.
            let blocker = try await server.blocker("runs", at: made)
            let outcome = Later { failure { try journal.commit([History.start]) } }
            try await server.waits(journal.backend)
            try await eventually("it has waited longer than a statement may take") {
                try await server.sql(
                    "SELECT clock_timestamp() - query_start > interval '100 ms' FROM pg_stat_activity WHERE pid = "
                        + "\(journal.backend)") == "t"
            }
            try blocker.endInput()
            try await blocker.end()
            #expect(try await outcome.value() == nil)
            journal.close()
            #expect(try records(made) == 1)
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
            "whatever libpq takes for a password is shown nowhere, and the rest goes to libpq as it is",
            arguments: [
                "postgresql://app:pa?s3cret@127.0.0.1:1/journals?schema=x", "postgresql://:s3cret@127.0.0.1:1/journals",
                "postgresql://app:pa:s3cret#?&=x@127.0.0.1:1/journals",
                "postgresql://app@127.0.0.1:1/journals?p%61ssword=s3cret",
                "postgresql://app:s%33cret@127.0.0.1:1/journals",
                "postgresql://app:s3cret@[::1]:1,127.0.0.1:1/journals",
                "postgresql://app@127.0.0.1:1/journals?password=p@s3cret",
            ])
        func passwords(_ url: String) throws {
            for text in [JournalOpener.postgreSQL.show(url), try #require(failure { _ = try open(url) }).description] {
                #expect(!text.contains("s3cret") && !text.contains("s%33cret"), "\(text)")
            }
            let error = try #require(failure { _ = try open(url) })
            #expect(error.code == .notReadable && error.message.contains("Connection refused"), "\(error)")
        }

        @Test(
            "a URL that cannot be read is refused without its password",
            arguments: [
                "postgresql://app:s3cret/x@host/db", "postgresql://app:s3cret@[::1/db",
                "postgresql://app:s3cret@host:x/db",
                "postgresql://app:s3cret@127.0.0.1/db?nonsense=1",
                "postgresql://app@127.0.0.1/db?schema=x;&password=s3cret",
                "mysql://app:s3cret@127.0.0.1/db",
                // libpq takes parts of these passwords for hosts, ports, databases or options.
                "postgresql://app:x?s3cret/y@127.0.0.1:1/db", "postgresql://app:x?y=s3cret/z@127.0.0.1:1/db",
                "postgresql://app:x/s3cret?y@127.0.0.1:1/db", "postgresql://app:x@s3cret@127.0.0.1:1/db",
                "postgresql://app:x@s3cret/y?z=w@127.0.0.1:1/db", "postgresql://app:1?s3cret",
                "postgresql://app:s3cret",
                "postgresql://app:x@\u{301}s3cret@127.0.0.1:1/db",
                "postgresql://app:s3cret%zz@127.0.0.1:1/db",
            ])
        func wrongURL(_ url: String) throws {
            let error = try #require(failure { _ = try open(url) })
            #expect(!error.description.contains("s3cret"), "\(error)")
            #expect(!JournalOpener.postgreSQL.show(url).contains("s3cret"))
        }
    }
#endif
