#if PostgreSQL
    import FleetTestSupport
    import JournalStoreCompatibility
    import MobiusJournal
    import MobiusJournalPostgreSQL
    import MobiusWire
    import TestTraits
    import Testing

    @Suite(
        "A journal in PostgreSQL has one writer",
        .enabled(if: PostgreSQLServer.isTested, Comment(rawValue: PostgreSQLServer.reason)), .patient)
    struct FenceTests {
        @Test("a second opener fences the first, whose next commit writes nothing")
        func second() async throws {
            let server = try await PostgreSQLServer.shared()
            let url = try journal(in: server)
            let first = try open(url)
            try first.commit([History.start] + History.batch(after: 0, count: 3))
            let second = try open(url)
            #expect(second.epoch > first.epoch && second.identity == first.identity)
            let error = failure { try first.commit(History.batch(after: 3, count: 2)) }
            #expect(error?.code == .fenced, "\(String(describing: error))")
            #expect(failure { try first.save(History.snapshot(at: 3)) }?.code == .fenced)
            #expect(try await server.sql("SELECT sum(count) FROM runs", at: url) == "4")
            // It may still read, and the second goes on.
            #expect(try first.entries(of: .main, JournalRange(limit: 9)).entries.count == 4)
            try second.commit(History.batch(after: 3, count: 2))
            #expect(try await server.sql("SELECT sum(count) FROM runs", at: url) == "6")
            first.close()
            second.close()
        }

        @Test("an opener waits for the owner's commit, which is kept")
        func waits() async throws {
            let server = try await PostgreSQLServer.shared()
            let url = try journal(in: server)
            let first = try open(url)
            try first.commit([History.start])
            // The commit waits for a lock, with the fence held.
            let blocker = try await server.blocker("runs", at: url)
            let kept = Later {
                failure { try first.commit(History.batch(after: 0, count: 2)) }
            }
            try await server.waits(first.backend)
            let taken = Later { Result { try open(url) } }
            try await eventually("the opener waits, too") {
                try await server.sql("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'") >= "2"
            }
            try blocker.endInput()
            #expect(try await kept.value() == nil)
            let second = try await taken.value().get()
            #expect(try second.entries(of: .main, JournalRange(limit: 9)).entries.count == 3)
            #expect(failure { try first.commit(History.batch(after: 2, count: 1)) }?.code == .fenced)
            first.close()
            second.close()
        }

        @Test("another program's journal is refused, and stays its own")
        func foreign() async throws {
            let url = try journal(in: await PostgreSQLServer.shared())
            let first = try open(url)
            let other = failure { _ = try PostgreSQLJournal(url: url, application: "shop", build: "1") }
            #expect(other?.code == .foreign && other?.message.contains("belongs to torture") == true)
            try first.commit([History.start])
            first.close()
        }

        @Test("epochs are milliseconds of the server's clock, or one more than the last")
        func epochs() async throws {
            let server = try await PostgreSQLServer.shared()
            let url = try journal(in: server)
            let first = try open(url)
            #expect(first.epoch > 1_600_000_000_000)
            first.close()
            try await server.sql("UPDATE shards SET epoch = 9000000000000", at: url)
            let second = try open(url)
            #expect(second.epoch == 9_000_000_000_001)
            second.close()
        }

        @Test("a database without a journal is refused with what to do, and init makes it once")
        func initiate() async throws {
            let url = try await PostgreSQLServer.shared().url()
            let error = failure { _ = try open(url) }
            #expect(error?.code == .foreign && error?.message.contains("mobius journal init") == true)
            #expect(try PostgreSQLSchema.prepare(url: url) == .made)
            let journal = try open(url)
            try journal.commit([History.start])
            journal.close()
            #expect(try PostgreSQLSchema.prepare(url: url) == .found)
            let inspector = try PostgreSQLInspector(url: url)
            #expect(try inspector.loops() == [.main])
        }

        @Test(
            "a journal of an earlier build is sound without the tables that came later, and gets them when it is opened or split"
        )
        func laterTables() async throws {
            let server = try await PostgreSQLServer.shared()
            let pause = PoolPause(by: "ada", why: "down", since: WallTime(milliseconds: 5))
            for isSplit in [false, true] {
                let url = try journal(in: server)
                let made = try open(url)
                try made.commit([History.start])
                made.close()
                try await server.sql("DROP TABLE paused_pools", at: url)
                #expect(try PostgreSQLInspector(url: url, pinsSnapshot: true).verify().isSound)
                if isSplit { _ = try #require(try PostgreSQLCluster(url: url).split(0)) }
                let opened = try open(url)
                #expect(try opened.pausedPools() == [:])
                try opened.setPause(pause, of: "p")
                opened.close()
                let again = try open(url)
                #expect(try again.pausedPools() == ["p": pause])
                again.close()
            }
        }

        @Test("a journal of a newer format is refused")
        func newer() async throws {
            let server = try await PostgreSQLServer.shared()
            let url = try journal(in: server)
            try await server.sql("UPDATE format SET version = 6", at: url)
            for body in [{ _ = try open(url) }, { try PostgreSQLSchema.prepare(url: url) }] {
                #expect(failure(body)?.message.contains("newer program (format 6") == true)
            }
        }

        @Test("a journal of a format of before 0.2 is refused with what to do, and left as it is")
        func older() async throws {
            let server = try await PostgreSQLServer.shared()
            let url = try journal(in: server)
            try await server.sql("UPDATE format SET version = 3", at: url)
            for body in [
                { _ = try open(url) }, { _ = try openLeases(url) }, { _ = try PostgreSQLInspector(url: url) },
                { try PostgreSQLSchema.prepare(url: url) },
            ] {
                let refused = failure(body)
                #expect(refused?.code == .foreign)
                #expect(refused?.message.contains("older format 3, of before 0.2: go on with the build") == true)
            }
            #expect(try await server.sql("SELECT version FROM format", at: url) == "3")
        }

        @Test("several processes make a journal at once: one makes it, the others find it")
        func madeOnce() async throws {
            let url = try await PostgreSQLServer.shared().url()
            let attempts = (0..<4).map { _ in Later { Result { try PostgreSQLSchema.prepare(url: url) } } }
            var outcomes: [PostgreSQLSchema.Outcome] = []
            for attempt in attempts { outcomes.append(try await attempt.value().get()) }
            #expect(outcomes.filter { $0 == .made }.count == 1 && outcomes.filter { $0 == .found }.count == 3)
        }
    }
#endif
