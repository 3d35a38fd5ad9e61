#if PostgreSQL
    import FleetTestSupport
    import JournalStoreCompatibility
    import MobiusJournal
    import MobiusJournalPostgreSQL
    import MobiusWire
    import TestTraits
    import Testing

    @Suite(
        "Loops that are read in blocks",
        .enabled(if: PostgreSQLServer.isTested, Comment(rawValue: PostgreSQLServer.reason)),
        .patient, .ownThread)
    struct PrefetchTests {
        @Test("a store that knows which loops are next keeps all promises", arguments: JournalStoreCompatibility.checks)
        func promise(_ check: JournalStoreCompatibility.Check) async throws {
            let url = try journal(in: await PostgreSQLServer.shared())
            try check.run { build in
                let journal = try open(url, build: build)
                journal.prefetch(try journal.loops())
                return journal
            }
        }

        @Test("the number of round trips grows with blocks, not with loops")
        func roundTrips() async throws {
            let url = try journal(in: await PostgreSQLServer.shared())
            let loops = try (0..<600).map { try #require(LoopID("loop \($0)")) }
            try write(loops, to: url)
            func roundTrips(announced: Bool) throws -> Int {
                let journal = try open(url)
                defer { journal.close() }
                if announced { journal.prefetch(loops) }
                let before = journal.roundTrips
                for loop in loops { _ = try RecoveryReading(of: loop, from: journal) }
                return journal.roundTrips - before
            }
            // One more reads the payload kinds.
            #expect(try roundTrips(announced: true) == 3 * 2 + 1)
            #expect(try roundTrips(announced: false) > 600 * 10)
        }

        @Test("a take-over reads no row of an idle loop, and its first commit neither, however many there are")
        func idleLoops() async throws {
            let server = try await PostgreSQLServer.shared()
            let url = try journal(in: server)
            try write([.main], to: url)
            func roundTrips(adding name: String) throws -> Int {
                let journal = try open(url)
                defer { journal.close() }
                let before = journal.roundTrips
                #expect(try journal.crashes().count <= 1)
                #expect(try journal.activeLoops().first == .main)
                let loop = try #require(LoopID(name))
                try journal.commit([
                    .event(EventRecord(loop: loop, sequence: 0, source: .start, event: nil, effects: [], ends: nil))
                ])
                let event = Payload(kind: PayloadKind(type: "T"), bytes: [1])
                _ = try journal.noteCrash(
                    Breadcrumb(loop: .main, source: .outside("k"), event: event), build: "1", epoch: 1,
                    at: WallTime(milliseconds: 1))
                return journal.roundTrips - before
            }
            _ = try roundTrips(adding: "zero")
            let few = try roundTrips(adding: "one")
            // Their checksums are wrong: who reads them fails.
            try await server.sql(
                """
                INSERT INTO loops (shard, id, name, first_sequence, first_part, checksum)
                SELECT 0, 100 + n, convert_to('idle/' || n, 'UTF8'), 0, 0, 0 FROM generate_series(1, 25000) n;
                INSERT INTO idle_loops (shard, loop, sequence, time, checksum)
                SELECT 0, 100 + n, 0, 0, 0 FROM generate_series(1, 25000) n
                """, at: url)
            #expect(try roundTrips(adding: "two") == few)
            #expect(try await server.sql("SELECT id FROM loops WHERE name = 'two'", at: url) == "25101")
        }

        @Test("a reader of one state of the journal keeps to it, and one of the present reads the present")
        func inspectors() async throws {
            let url = try journal(in: await PostgreSQLServer.shared())
            let loops = try ["a", "b"].map { try #require(LoopID($0)) }
            try write(loops, to: url)
            let (pinned, present) = (
                try PostgreSQLInspector(url: url, pinsSnapshot: true), try PostgreSQLInspector(url: url)
            )
            for inspector in [pinned, present] {
                inspector.prefetch(loops)
                #expect(try count(loops[0], inspector) == 1)
            }
            let journal = try open(url)
            defer { journal.close() }
            for loop in loops { try journal.commit([event(4, of: loop)]) }
            #expect(try count(loops[1], pinned) == 1)
            #expect(try count(loops[1], present) == 2)
        }

        @Test(
            "damage is found in each row of a block, as it is without",
            arguments: [
                "UPDATE loops SET first_part = 1 WHERE id = 2",
                "UPDATE loops SET first_sequence = -1 WHERE id = 2",
                "UPDATE loops SET checksum = checksum + 1 WHERE id = 2",
                "UPDATE runs SET content = '\\x00' WHERE loop = 2 AND sequence = 2",
                "UPDATE runs SET epoch = 1 WHERE loop = 2 AND sequence = 2",
                "UPDATE runs SET count = -1 WHERE loop = 2 AND sequence = 2",
                "DELETE FROM runs WHERE loop = 2 AND sequence = 2",
                "UPDATE runs SET content = substr(content, 1, length(content) - 1) WHERE loop = 2 AND sequence = 3",
                "UPDATE runs SET sequence = -1 WHERE loop = 2 AND sequence = 2",
                "UPDATE runs SET sequence = 1000 WHERE loop = 2 AND sequence = 2",
                "UPDATE runs SET loop = 9 WHERE loop = 2 AND sequence = 2",
                "DELETE FROM runs WHERE loop = 2 AND sequence > 1",
                "UPDATE snapshots SET model = '\\x00' WHERE loop = 2 AND sequence = 1",
                "UPDATE snapshots SET pending = '\\x01' WHERE loop = 2 AND sequence = 2",
                "UPDATE snapshots SET sequence = -5 WHERE loop = 2 AND sequence = 1",
                "UPDATE snapshots SET part = 1 WHERE loop = 2 AND sequence = 2",
                "UPDATE snapshots SET loop = 9 WHERE loop = 2; DELETE FROM runs WHERE loop = 2 AND sequence = 0",
                "UPDATE outside_keys SET sequence = 9 WHERE loop = 2 AND sequence = 3",
                "UPDATE outside_keys SET key = 'x' WHERE loop = 2 AND sequence = 1",
                "INSERT INTO begun_loops VALUES (0, 2, 1, 0)",
                "UPDATE kinds SET version = 9",
                "DROP TABLE outside_keys",
                "ALTER TABLE snapshots DROP COLUMN pending",
            ])
        func damage(sql: String) async throws {
            let server = try await PostgreSQLServer.shared()
            let url = try journal(in: server)
            let loops = try ["a", "b", "c"].map { try #require(LoopID($0)) }
            try write(loops, to: url)
            try await server.sql(sql, at: url)
            func error(announced: Bool) -> JournalError? {
                failure {
                    let journal = try open(url)
                    defer { journal.close() }
                    if announced { journal.prefetch(loops) }
                    for loop in loops { _ = try RecoveryReading(of: loop, from: journal) }
                }
            }
            let (found, expected) = (error(announced: true), error(announced: false))
            #expect(found?.code == .damaged, "\(String(describing: found))")
            #expect(found?.message == expected?.message)
        }

        // MARK: Journals

        /// Each loop has snapshots at 1 and 2, and the last event 3.
        private func write(_ loops: [LoopID], to url: String) throws {
            let journal = try open(url)
            defer { journal.close() }
            try journal.commit(
                loops.map {
                    .event(EventRecord(loop: $0, sequence: 0, source: .start, event: nil, effects: [], ends: nil))
                })
            for sequence in UInt64(1)...3 {
                try journal.commit(loops.map { event(sequence, of: $0) })
                guard sequence < 3 else { break }
                let model = Payload(kind: PayloadKind(type: "Model"), bytes: [UInt8(sequence)])
                let hash = FNV1a.hash(model.bytes)
                try journal.park(
                    [], loops.map { Snapshot(loop: $0, sequence: sequence, model: model, hash: hash, pending: []) })
            }
        }

        private func event(_ sequence: UInt64, of loop: LoopID) -> JournalRecord {
            let payload = Payload(kind: PayloadKind(type: "Event"), bytes: [7])
            return .event(
                EventRecord(
                    loop: loop, sequence: sequence, source: .outside("key \(sequence)"), event: payload, effects: [],
                    ends: nil))
        }

        private func count(_ loop: LoopID, _ journal: any JournalReading) throws -> Int {
            var count = 0
            try journal.readTail(of: loop) { _ in count += 1 }
            return count
        }
    }
#endif
