#if PostgreSQL
    import FleetTestSupport
    import JournalStoreCompatibility
    import MobiusJournal
    import MobiusJournalPostgreSQL
    import MobiusWire
    import TestTraits
    import Testing

    @Suite(
        "Compaction in PostgreSQL",
        .enabled(if: PostgreSQLServer.isTested, Comment(rawValue: PostgreSQLServer.reason)), .patient, .ownThread)
    struct CompactionTests {
        private func write(
            _ journal: PostgreSQLJournal, from first: UInt64 = 0, to last: UInt64, batch: UInt64 = 100
        ) throws {
            if first == 0 { try journal.commit([History.start]) }
            for begin in stride(from: first, to: last, by: Int(batch)) {
                try journal.commit(History.batch(after: begin, count: batch))
                try journal.save(History.snapshot(at: begin + batch))
            }
        }

        @Test("deletes what no snapshot needs, a few with each commit, also after a start")
        func deletes() async throws {
            let server = try await PostgreSQLServer.shared()
            let url = try journal(in: server)
            let journal = try open(url)
            try write(journal, to: 1_000)
            journal.close()
            let again = try open(url)
            for last in UInt64(1_000)..<1_010 { try again.commit(History.batch(after: last, count: 1)) }
            // The snapshots stand at 900 and 1000; the rows end at each hundred.
            #expect(try await server.sql("SELECT min(sequence) FROM runs", at: url) == "801")
            #expect(try again.entries(of: .main, JournalRange(limit: 1)).first == 801)
            #expect(try again.verify().findings == [])
            var read = 0
            try again.readTail(of: .main) { _ in read += 1 }
            #expect(read == 10)
            again.close()
        }

        @Test("keeps everything where history is kept")
        func history() async throws {
            let server = try await PostgreSQLServer.shared()
            let url = try journal(in: server)
            let journal = try open(url, history: .all)
            try write(journal, to: 500)
            journal.close()
            #expect(try await server.sql("SELECT sum(count) FROM runs", at: url) == "501")
        }

        @Test("a window of bytes is filled and not exceeded for long, also after a start and the end of another loop")
        func bytes() async throws {
            let server = try await PostgreSQLServer.shared()
            let url = try journal(in: server)
            let window = KeptHistory.window(HistoryWindow(bytes: 100_000))
            let other = try #require(LoopID("other"))
            let model = Payload(kind: PayloadKind(type: "Model"), bytes: [UInt8](repeating: 7, count: 5_000))
            func used() async throws -> Int? {
                Int(
                    try await server.sql(
                        """
                        SELECT (SELECT sum(length(content)) FROM runs)
                            + (SELECT coalesce(sum(length(model)), 0) FROM snapshots)
                        """, at: url))
            }
            var journal = try open(url, history: window)
            try write(journal, to: 2_000, batch: 20)
            let first = try #require(await used())
            // The journal is checked at commits, before the newest snapshot.
            #expect((85_000...110_000).contains(first), "\(first)")
            journal.close()
            journal = try open(url, history: window)
            let end = EndedLoop(loop: other, sequence: 0, time: WallTime(milliseconds: 1), mayBeginAgain: false)
            try journal.commit([
                .event(
                    EventRecord(
                        loop: other, sequence: 0, source: .start, event: nil, effects: [model], ends: nil)),
                .note(
                    EffectID(loop: other, sequence: 0, index: 0),
                    .loopEnded(mayBeginAgain: false, outstanding: 0, at: end.time)),
            ])
            for _ in 0..<3 {
                try journal.save(
                    Snapshot(loop: other, sequence: 0, model: model, hash: FNV1a.hash(model.bytes), pending: []))
            }
            try write(journal, from: 2_000, to: 2_400, batch: 20)
            let second = try #require(await used())
            #expect((85_000...110_000).contains(second), "\(second)")
            while try !journal.remove(ended: other, rows: 20) {}
            // What has become free is filled again.
            try write(journal, from: 2_400, to: 4_000, batch: 20)
            let third = try #require(await used())
            #expect((85_000...110_000).contains(third), "\(third)")
            #expect(try journal.verify().findings == [])
            journal.close()
        }

        @Test("keeps the newest outside keys, and one more at most for each eight")
        func keys() async throws {
            let server = try await PostgreSQLServer.shared()
            let url = try journal(in: server)
            let journal = try open(url, limits: JournalLimits(outsideKeys: 100, deadLetters: 2))
            try write(journal, to: 2_000)
            for last in UInt64(2_000)..<2_100 { try journal.commit(History.batch(after: last, count: 1)) }
            let keys = try journal.outsideKeys(of: .main, limit: .max)
            #expect((100...350).contains(keys.count), "\(keys.count)")
            let newest = try #require(keys.last.flatMap { $0.split(separator: " ").last }.flatMap { UInt64($0) })
            #expect(newest > 2_090)
            #expect(try journal.hasApplied(key: "event 3", of: .main) == false)
            journal.close()
        }

        @Test("keeps the newest dead letters and knows the newest retries")
        func letters() async throws {
            let url = try journal(in: await PostgreSQLServer.shared())
            let journal = try open(url, limits: JournalLimits(outsideKeys: 100, deadLetters: 3))
            let effect = Payload(kind: PayloadKind(type: "T"), bytes: [1])
            let start = JournalRecord.event(
                EventRecord(
                    loop: .main, sequence: 0, source: .start, event: nil,
                    effects: [Payload](repeating: effect, count: 9), ends: nil))
            try journal.commit([start])
            let ids = (0..<UInt32(9)).map { EffectID(loop: .main, sequence: 0, index: $0) }
            for id in ids {
                try journal.commit([
                    .note(id, .deadLettered(DeadLetter(id: id, effect: effect, reason: "r", failures: 1)))
                ])
            }
            #expect(try journal.deadLetters(of: .main, after: nil, limit: 9).map(\.id) == Array(ids[6...]))
            for id in ids {
                try journal.commit([
                    .note(id, .ended), .note(id, .requeued(effect, round: 1, at: .init(milliseconds: 1))),
                ])
            }
            #expect(
                try ids.map { try journal.wasRequeued($0) } == [Bool](repeating: false, count: 6) + [true, true, true])
            #expect(try journal.deadLetterCount(of: nil) == 0)
            journal.close()
        }

        @Test("keys of any length and names with NUL are kept as they are")
        func longKeys() async throws {
            let url = try journal(in: await PostgreSQLServer.shared())
            let journal = try open(url)
            let keys = [
                String(repeating: "k", count: 255), String(repeating: "k", count: 5_000), "a\0b", "é", "e\u{301}",
            ]
            let loop = try #require(LoopID("a\0loop"))
            var records: [JournalRecord] = [
                .event(EventRecord(loop: loop, sequence: 0, source: .start, event: nil, effects: [], ends: nil))
            ]
            for (index, key) in keys.enumerated() {
                records.append(
                    .event(
                        EventRecord(
                            loop: loop, sequence: UInt64(index) + 1, source: .outside(key), event: nil, effects: [],
                            ends: nil)))
            }
            try journal.commit(records)
            journal.close()
            let again = try open(url)
            defer { again.close() }
            #expect(try again.outsideKeys(of: loop, limit: 9).map { Array($0.utf8) } == keys.map { Array($0.utf8) })
            for (index, key) in keys.enumerated() {
                #expect(try again.confirmation(of: key, in: loop)?.number == UInt64(index) + 1)
            }
            #expect(try again.loops() == [loop])
        }
    }
#endif
