#if PostgreSQL
    import FleetTestSupport
    import Foundation
    import JournalStoreCompatibility
    import MobiusJournal
    import MobiusJournalPostgreSQL
    import MobiusWire
    import TestTraits
    import Testing

    @Suite(
        "A journal of an earlier format in PostgreSQL",
        .enabled(if: PostgreSQLServer.isTested, Comment(rawValue: PostgreSQLServer.reason)), .patient)
    struct MigrationTests {
        private let server: PostgreSQLServer
        // Of the opening that wrote it.
        private let epoch: UInt64 = 1_795_647_033_149

        init() async throws {
            server = try await PostgreSQLServer.shared()
        }

        /// What a program of an earlier format has written, as `pg_dump` printed it.
        private func earlierJournal(ofFormat format: Int) async throws -> String {
            let url = server.url()
            let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Formats/\(format).sql")
            let schema = try #require(url.split(separator: "=").last)
            try await server.sql(
                String(contentsOf: file, encoding: .utf8).replacing("the_schema", with: String(schema)))
            return url
        }

        /// The epoch of its writer, which no commit may have any more.
        private func fence(_ format: Int) -> String { "SELECT fence(0, \(epoch + UInt64(format) - 1))" }

        @Test(
            "a coordinator refuses an earlier format with what to do; init brings it up to date with all that it has",
            arguments: [1, 2])
        func migration(format: Int) async throws {
            let url = try await earlierJournal(ofFormat: format)
            for refused in [failure { _ = try open(url) }, failure { _ = try openLeases(url) }] {
                #expect(refused?.code == .foreign && refused?.message.contains("older format \(format)") == true)
            }
            let process = try TestProcess("mobius", ["journal", "init", url])
            #expect(try await process.end() == .exited(0))
            #expect(process.output.elements.joined().contains("was brought up to date"))
            #expect(try PostgreSQLSchema.prepare(url: url) == .found)

            let inspector = try PostgreSQLInspector(url: url)
            let report = try inspector.verify()
            #expect(report.findings == [] && report.records == 28, "\(report)")
            #expect(report.snapshots == 2)
            #expect(try inspector.activeLoops().map(\.name) == ["other", "main"])
            #expect(try inspector.deadLetterCount(of: nil) == 1 && inspector.crashes().count == 1)
            let made = try journal(in: server)
            for table in ["shards", "active_loops", "leases", "members", "limit_shares"] {
                #expect(try await columns(table, url) == columns(table, made), "as in a new journal")
            }

            let leases = try openLeases(url)
            #expect(try leases.shard().slices == .all && leases.shards().count == 1)
            let holder = LeaseHolder(process: Incarnation(high: 1, low: 2), name: "first")
            let taken = try #require(try leases.take(leases.shard(), as: holder, for: .seconds(60)))
            #expect(taken > epoch)
            leases.close()
            let journal = try open(url)
            try journal.commit(History.batch(after: 24, count: 4))
            #expect(try RecoveredLoop.read(.main, from: journal).loop.lastSequence == 28)
            #expect(try journal.verify().findings == [])
            journal.close()
        }

        @Test("a journal of an earlier build of this format gets what it lacks, and goes on, read or opened")
        func lacksMarks() async throws {
            let url = try journal(in: server)
            var store = try open(url)
            try store.commit([History.start])
            var event = EventRecord(
                loop: .main, sequence: 1, source: .outside("k"),
                event: Payload(kind: PayloadKind(type: "E"), bytes: []),
                effects: [], ends: nil)
            try store.commit([.event(event)])
            store.close()
            try await server.sql("ALTER TABLE outside_keys DROP COLUMN mark", at: url)
            do {
                // Its transaction ends with it; the column waits for that.
                let inspector = try PostgreSQLInspector(url: url, pinsSnapshot: true)
                #expect(try inspector.mark(of: "k", in: .main) == nil)
                var keys: [[JournalCell]] = []
                try inspector.visit(.outsideKeys) { keys.append($0) }
                #expect(keys.map(\.last) == [.bytes([])])
            }
            store = try open(url)
            event = EventRecord(
                loop: .main, sequence: 2, source: .outside("l"), event: event.event, effects: [], ends: nil)
            event.mark = SenderMark(sender: 3, event: 4)
            try store.commit([.event(event)])
            #expect(try store.mark(of: "k", in: .main) == nil && store.mark(of: "l", in: .main) == event.mark)
            store.close()
            #expect(try await columns("outside_keys", url) == columns("outside_keys", journal(in: server)))
        }

        private func columns(_ table: String, _ url: String) async throws -> String {
            try await server.sql(
                """
                SELECT column_name, data_type, is_nullable, column_default FROM information_schema.columns
                WHERE table_schema = current_schema() AND table_name = '\(table)' ORDER BY column_name
                """, at: url)
        }

        @Test("a program of an earlier format that has it open can write nothing more", arguments: [1, 2])
        func fenced(format: Int) async throws {
            let url = try await earlierJournal(ofFormat: format)
            #expect(try await server.sql("\(fence(format)); SELECT 'open'", at: url).contains("open"))
            #expect(try PostgreSQLSchema.prepare(url: url) == .migrated)
            await #expect(throws: (any Error).self) { try await server.sql(fence(format), at: url) }
        }

        @Test("asking for several shards leaves a journal of an earlier format as it is, and its coordinator too")
        func unasked() async throws {
            let url = try await earlierJournal(ofFormat: 2)
            #expect(failure { try PostgreSQLSchema.prepare(url: url, shards: 2) }?.code == .unsupported)
            #expect(try await server.sql("SELECT version FROM format", at: url) == "2")
            #expect(try await server.sql("\(fence(2)); SELECT 'open'", at: url).contains("open"))
        }

        @Test("several at once bring it up to date once, and one that cannot leaves it as it was")
        func concurrent() async throws {
            let url = try await earlierJournal(ofFormat: 1)
            try await server.sql("CREATE TABLE members (a integer)", at: url)
            #expect(failure { try PostgreSQLSchema.prepare(url: url) }?.code == .notWritable)
            #expect(try await server.sql("SELECT version FROM format", at: url) == "1")
            #expect(try await server.sql("\(fence(1)); SELECT 'open'", at: url).contains("open"))
            try await server.sql("DROP TABLE members", at: url)
            let attempts = (0..<4).map { [url] _ in Later { Result { try PostgreSQLSchema.prepare(url: url) } } }
            var outcomes: [PostgreSQLSchema.Outcome] = []
            for attempt in attempts { outcomes.append(try await attempt.value().get()) }
            #expect(outcomes.filter { $0 == .migrated }.count == 1 && outcomes.filter { $0 == .found }.count == 3)
        }
    }
#endif
