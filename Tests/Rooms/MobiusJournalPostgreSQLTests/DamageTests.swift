#if PostgreSQL
    import FleetTestSupport
    import JournalStoreCompatibility
    import MobiusJournal
    import MobiusJournalPostgreSQL
    import MobiusWire
    import TestTraits
    import Testing

    @Suite(
        "A damaged journal in PostgreSQL",
        .enabled(if: PostgreSQLServer.isTested, Comment(rawValue: PostgreSQLServer.reason)), .patient)
    struct DamageTests {
        /// A journal with something in every table.
        private func make(_ server: PostgreSQLServer) throws -> String {
            let url = try journal(in: server)
            let idle = try #require(LoopID("idle"))
            let journal = try open(url, history: .window(HistoryWindow(bytes: 1 << 30)))
            try journal.commit([
                .event(EventRecord(loop: idle, sequence: 0, source: .start, event: nil, effects: [], ends: nil))
            ])
            try journal.park([IdleLoop(loop: idle, sequence: 0, time: nil)], [])
            try journal.commit([History.start] + History.batch(after: 0, count: 300))
            try journal.save(History.snapshot(at: 300))
            for last in stride(from: UInt64(300), to: 400, by: 10) {
                try journal.commit(History.batch(after: last, count: 10))
            }
            try journal.save(History.snapshot(at: 400))
            let letter = DeadLetter(
                id: EffectID(loop: .main, sequence: 1, index: 0),
                effect: Payload(kind: PayloadKind(type: "T"), bytes: [1]), reason: "broken", failures: 3)
            try journal.commit([.note(letter.id, .deadLettered(letter))])
            _ = try journal.noteCrash(
                Breadcrumb(loop: .main, source: .outside("k"), event: letter.effect), build: "1", epoch: 1,
                at: WallTime(milliseconds: 1))
            journal.close()
            return url
        }

        private func verify(_ url: String) throws -> JournalReport {
            try PostgreSQLInspector(url: url).verify()
        }

        @Test("verification finds nothing in a whole journal, and says how much it has read")
        func whole() async throws {
            let url = try make(await PostgreSQLServer.shared())
            var total = 0
            let report = try PostgreSQLInspector(url: url).verify { done, all in
                #expect(done <= all)
                total = all
            }
            #expect(report.findings == [] && report.isSound)
            #expect(report.loops == 2 && report.snapshots == 2)
            #expect(report.records == total && total > 100)
        }

        @Test(
            "verification finds damage of every kind, as in SQLite",
            arguments: [
                (
                    "UPDATE runs SET content = set_bit(content, 8, 1 - get_bit(content, 8)) WHERE sequence = 351",
                    JournalReport.Finding.Kind.row, UInt64?.some(351)
                ),
                ("UPDATE runs SET epoch = 5 WHERE sequence = 361", .row, 361),
                ("UPDATE runs SET last_part = 5 WHERE sequence = 361", .row, 361),
                ("UPDATE runs SET count = 9223372036854775807 WHERE sequence IN (351, 361)", .row, 361),
                ("DELETE FROM runs WHERE sequence = 351", .gap, 361),
                ("UPDATE runs SET loop = loop + 8 WHERE sequence = 351", .row, 351),
                ("DELETE FROM runs WHERE last_sequence > 391", .snapshot, 400),
                ("UPDATE loops SET name = 'mian' WHERE name = 'main'", .row, nil),
                ("UPDATE loops SET id = 9223372036854775807 WHERE name = 'main'", .row, nil),
                ("UPDATE kinds SET version = 7 WHERE id = 1", .row, nil),
                ("UPDATE epochs SET build = 'planted'", .row, nil),
                ("UPDATE snapshots SET model = '\\x00' WHERE sequence = 300", .snapshot, nil),
                ("UPDATE snapshots SET pending = '\\x00' WHERE sequence = 400", .snapshot, nil),
                ("UPDATE outside_keys SET sequence = 1 WHERE key = 'event 398'", .table, nil),
                ("UPDATE outside_keys SET key = 'planted' WHERE key = 'event 398'", .table, nil),
                ("DELETE FROM outside_keys WHERE key = 'event 398'", .table, 398),
                ("UPDATE dead_letters SET reason = 'planted'", .table, nil),
                ("UPDATE dead_letters SET round = 4", .table, nil),
                ("UPDATE crashes SET count = 4", .table, nil),
                ("UPDATE crashes SET source = '\\x09'", .table, nil),
                ("UPDATE idle_totals SET loops = loops + 1", .table, nil),
                ("INSERT INTO active_loops VALUES (0, 77, 0)", .table, nil),
                ("UPDATE active_loops SET checksum = checksum + 1", .table, nil),
                ("UPDATE active_loops SET loop = 1", .table, nil),
                ("UPDATE history SET time = time + 1", .table, nil),
                ("DROP TABLE outside_keys", .file, nil),
            ])
        func planted(sql: String, kind: JournalReport.Finding.Kind, sequence: UInt64?) async throws {
            let server = try await PostgreSQLServer.shared()
            let url = try make(server)
            try await server.sql(sql, at: url)
            let report = try verify(url)
            let found = report.findings.map { "\($0.kind) \($0.sequence.map(String.init) ?? "-"): \($0)" }
            #expect(
                report.findings.contains { $0.kind == kind && (sequence == nil || $0.sequence == sequence) },
                "\(found)")
            #expect(!report.isSound)
            #expect(!found.joined().contains("planted"), "what rows hold is not shown")
        }

        @Test("verification goes on behind what it finds")
        func several() async throws {
            let server = try await PostgreSQLServer.shared()
            let url = try make(server)
            try await server.sql(
                """
                UPDATE runs SET content = '\\x00' WHERE sequence IN (331, 371, 391);
                DELETE FROM runs WHERE sequence = 351
                """, at: url)
            #expect(try verify(url).findings.map(\.sequence) == [331, 361, 371, 391])
        }

        @Test(
            "what was changed is never replayed",
            arguments: [
                "DELETE FROM runs WHERE sequence = 341",
                "UPDATE runs SET content = '\\x00' WHERE sequence = 341",
                "UPDATE runs SET content = substr(content, 1, length(content) - 1) WHERE sequence = 341",
                "UPDATE runs SET count = -1 WHERE sequence = 391",
                "UPDATE runs SET sequence = 1000 WHERE sequence = 341",
                "UPDATE runs SET sequence = -1 WHERE sequence = 391",
                "UPDATE runs SET last_sequence = 399 WHERE sequence = 391",
                "UPDATE kinds SET type = 'Other' WHERE id = 1",
                "DELETE FROM kinds WHERE id = 1",
                "UPDATE loops SET name = 'mian' WHERE name = 'main'",
                "UPDATE loops SET id = -1 WHERE name = 'main'",
                "DROP TABLE runs",
                "UPDATE shards SET identity = 'x'",
            ])
        func replay(sql: String) async throws {
            let server = try await PostgreSQLServer.shared()
            let url = try make(server)
            try await server.sql("DELETE FROM snapshots WHERE sequence = 400; \(sql)", at: url)
            var read: [UInt64] = []
            let error = failure {
                let journal = try open(url)
                defer { journal.close() }
                // As a start does.
                for loop in try journal.activeLoops() {
                    _ = try journal.newestSnapshot(of: loop)
                    try journal.readTail(of: loop) { if case .event(let event) = $0 { read.append(event.sequence) } }
                }
            }
            #expect(error?.code == .damaged, "\(String(describing: error))")
            #expect(read == (0..<UInt64(read.count)).map { 301 + $0 })
        }

        @Test(
            "changed snapshots are refused",
            arguments: [
                "UPDATE snapshots SET model = '\\x00'", "UPDATE snapshots SET hash = 0",
                "UPDATE snapshots SET pending = '\\x00'", "UPDATE snapshots SET part = 1",
                "UPDATE snapshots SET kind = 1",
            ])
        func snapshots(sql: String) async throws {
            let server = try await PostgreSQLServer.shared()
            let url = try make(server)
            try await server.sql(sql, at: url)
            let journal = try open(url)
            defer { journal.close() }
            #expect(failure { _ = try journal.newestSnapshot(of: .main) }?.code == .damaged)
        }
    }
#endif
