#if PostgreSQL
    import FleetTestSupport
    import JournalStoreCompatibility
    import MobiusJournal
    import MobiusJournalPostgreSQL
    import MobiusWire
    import TestTraits
    import Testing

    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Darwin)
        import Darwin
    #endif

    @Suite(
        "Splits of a shard",
        .enabled(if: PostgreSQLServer.isTested, Comment(rawValue: PostgreSQLServer.reason)), .patient, .ownThread)
    struct ShardSplitTests {
        private let server: PostgreSQLServer
        private let url: String

        init() async throws {
            server = try await PostgreSQLServer.shared()
            url = try journal(in: server)
        }

        private func sums(_ shard: UInt32) throws -> JournalRowSums {
            try JournalCopy.sums(of: PostgreSQLInspector(url: url, shard: shard, pinsSnapshot: true))
        }

        private func findings() throws -> [JournalReport.Finding] {
            try PostgreSQLCluster(url: url).shards().flatMap {
                try PostgreSQLInspector(url: url, shard: $0.shard).verify().findings
            }
        }

        @Test("every row of a loop goes with it, and each half goes on by itself")
        func rows() throws {
            let store = try open(url, history: .window(HistoryWindow(bytes: 1 << 30)))
            try FullJournal.fill(store)
            let names = try store.loops()
            let facts = try names.compactMap { loop in
                try RecoveredLoop.read(loop, from: store).loop.lastSequence.map {
                    RebuiltFacts(
                        loop: loop, sequence: $0, facts: [StoredFact(name: "fact", key: Array(loop.name.utf8))])
                }
            }
            try store.rebuild(facts, step: FactStep(after: nil, to: .complete))
            let model = try RecoveredLoop.read(.main, from: store).loop
            store.close()
            let before = try sums(0)
            let cluster = try PostgreSQLCluster(url: url)
            // Until main is alone with a new identity of its journal, and others are elsewhere.
            for shard in [0, 0, 1] as [UInt32] {
                let slices = try cluster.shards()[Int(shard)].slices
                let split = try #require(try cluster.split(shard))
                #expect(try cluster.shards().map(\.shard).last == split.shard)
                let halves = try [shard, split.shard].map { try cluster.shards()[Int($0)].slices }
                #expect(
                    halves.map(\.count) == [slices.count / 2, slices.count / 2] && split.slices == slices.count / 2)
                for slice in 0..<SliceSet.slices {
                    #expect(halves.count { $0.contains(slice) } == (slices.contains(slice) ? 1 : 0))
                }
                #expect(try findings() == [])
            }
            let after = try (0..<4).map { try sums($0) }
            for table in JournalTable.allCases {
                let counts = after.map { $0.count(table) }
                switch table {
                // Each shard reads its records by them, and goes by the pauses.
                case .epochs, .kinds, .pausedPools: #expect(counts.allSatisfy { $0 == before.count(table) }, "\(table)")
                default: #expect(counts.reduce(0, +) == before.count(table), "\(table)")
                }
            }
            var (found, idle) = ([LoopID](), IdleTotals())
            for shard in 0..<4 as Range<UInt32> {
                let half = try open(url, shard: shard)
                let loops = try half.loops()
                found += loops
                let slices = try cluster.shards()[Int(shard)].slices
                #expect(loops.allSatisfy(slices.contains))
                let found = try half.factEntries(prefix: "", after: nil, limit: 100)
                #expect(Set(found.map(\.loop)) == Set(facts.map(\.loop)).intersection(loops))
                #expect(found.allSatisfy { $0.facts == ["fact": Array($0.loop.name.utf8)] })
                let totals = try half.idleTotals()
                idle = IdleTotals(loops: idle.loops + totals.loops, events: idle.events + totals.events)
                if loops.contains(.main) {
                    let main = try RecoveredLoop.read(.main, from: half).loop
                    #expect(main.lastSequence == model.lastSequence && main.pending == model.pending)
                    try half.commit(History.batch(after: 400, count: 20))
                }
                for loop in loops where loop.name.hasPrefix("a") && loop.name != "again" {
                    #expect(try half.confirmation(of: "key\0 of a \u{1F34F}", in: loop)?.number == 1)
                }
                half.close()
            }
            #expect(found.sorted { $0.name < $1.name } == names.sorted { $0.name < $1.name })
            #expect(idle == IdleTotals(loops: 1, events: 0))
            #expect(Set(try cluster.shards().map(\.epoch)).count > 1)
            #expect(try findings() == [])
        }

        @Test("a writer that does not know of it is fenced, whatever it writes")
        func fenced() throws {
            let writer = try open(url)
            try writer.commit([History.start])
            _ = try #require(try PostgreSQLCluster(url: url).split(0))
            #expect(failure { try writer.commit(History.batch(after: 0, count: 1)) }?.code == .fenced)
            writer.close()
        }

        @Test("the renewal of an earlier holder waits for no split, and fails after it")
        func zombie() async throws {
            let leases = try openLeases(url, patience: .seconds(3600))
            let holder = LeaseHolder(process: Incarnation(high: 1, low: 2), name: "holder")
            let epoch = try #require(try leases.acquire(leases.shards()[0], as: holder, for: .milliseconds(1)))
            // The split stops at its end. It would not wait for a lock for long by itself.
            try await server.sql(
                """
                CREATE FUNCTION stop() RETURNS trigger LANGUAGE plpgsql SET lock_timeout = 0 AS $$ BEGIN
                    PERFORM pg_advisory_xact_lock_shared(4711);
                    RETURN NEW;
                END $$;
                CREATE TRIGGER stop BEFORE INSERT ON idle_totals FOR EACH ROW EXECUTE FUNCTION stop()
                """, at: url)
            let blocker = try await server.session("SELECT pg_advisory_lock(4711);", at: url)
            let split = Later { [url] in Result { try PostgreSQLCluster(url: url).split(0)?.shard } }
            try await eventually("the split has locked the lease") {
                try await server.sql(
                    "SELECT count(*) FROM (SELECT 1 FROM leases FOR UPDATE SKIP LOCKED) AS free", at: url) == "0"
            }
            let renewal = [LeaseRenewal(0, epoch, holder)]
            #expect(try leases.renew(renewal, for: .seconds(60)) == [.delayed])
            try blocker.endInput()
            try await blocker.end()
            #expect(try await split.value().get() == 1)
            #expect(try leases.renew(renewal, for: .seconds(60)) == [.lost])
            #expect(try leases.shards().allSatisfy { $0.lease?.remaining ?? .zero <= .zero })
            leases.close()
        }

        @Test("a holder that does not hand it over keeps it, and nothing is changed")
        func held() throws {
            let leases = try openLeases(url)
            let holder = LeaseHolder(process: Incarnation(high: 1, low: 2), name: "holder")
            let epoch = try #require(try leases.acquire(leases.shards()[0], as: holder, for: .seconds(60)))
            let cluster = try PostgreSQLCluster(url: url)
            #expect(try cluster.want(0, holder.process))
            #expect(failure { _ = try cluster.split(0, patience: .milliseconds(300)) }?.code == .held)
            #expect(try cluster.shards().map(\.epoch) == [epoch] && cluster.shards()[0].wanted == holder.process)
            #expect(try cluster.members() == [])
            // Once it is released, the wish of an operator outlasts the split.
            try leases.release(0, epoch: epoch, possibleHolders: [holder.process])
            _ = try #require(try cluster.split(0))
            #expect(try cluster.shards().map(\.wanted) == [holder.process, nil])
            #expect(try cluster.shards().map(\.possibleHolders) == [[holder.process], []])
            leases.close()
        }

        @Test("while rows are moved the shard stays the split's, and no process waits for it")
        func moving() async throws {
            let writer = try open(url)
            try FullJournal.fill(writer)
            writer.close()
            let blocker = try await server.session("BEGIN; SELECT 1 FROM runs FOR UPDATE;", at: url)
            let split = Later { [url] in Result { try PostgreSQLCluster(url: url).split(0)?.shard } }
            let cluster = try PostgreSQLCluster(url: url)
            try await eventually("it moves rows") {
                try await server.sql(
                    "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE 'UPDATE runs%'",
                    at: url) == "1"
            }
            #expect(try cluster.members().map(\.isGuest) == [true])
            let until = "SELECT until > clock_timestamp() + interval '6 s' FROM members"
            #expect(try await server.sql(until, at: url) == "t", "for longer than a split that only waits")
            let leases = try openLeases(url)
            let holder = LeaseHolder(process: Incarnation(high: 1, low: 2), name: "holder")
            #expect(try leases.acquire(leases.shards()[0], as: holder, for: .seconds(60)) == nil)
            try blocker.endInput()
            try await blocker.end()
            #expect(try await split.value().get() == 1)
            #expect(try cluster.members() == [] && findings() == [])
            leases.close()
        }

        @Test("a lease is timed by the split's own clock, not by that of the database")
        func clocks() async throws {
            let leases = try openLeases(url)
            let holder = LeaseHolder(process: Incarnation(high: 1, low: 2), name: "holder")
            let epoch = try #require(try leases.acquire(leases.shards()[0], as: holder, for: .seconds(4)))
            // As after a step ahead.
            try await server.sql("UPDATE leases SET until = clock_timestamp() - interval '1 hour'", at: url)
            #expect(
                failure { _ = try PostgreSQLCluster(url: url).split(0, patience: .milliseconds(300)) }?.code == .held)
            #expect(try leases.shards().map(\.epoch) == [epoch])
            leases.close()
        }

        @Test("limits that hold in each shard by itself must not grow unnoticed")
        func limits() throws {
            let leases = try openLeases(url)
            let holder = LeaseHolder(process: Incarnation(high: 1, low: 2), name: "holder")
            let epoch = try #require(try leases.acquire(leases.shards()[0], as: holder, for: .seconds(60)))
            let keys = [
                LimitKey("shared", .concurrency), LimitKey("calls of a customer", .perShard),
                LimitKey("shared since", .perShard), LimitKey("shared since", .rate),
            ]
            for key in keys {
                let claim = LimitClaim(key, total: 64, seen: 0, change: 0, units: 1, wanted: 1)
                let outcomes = try leases.claim([claim], for: 0, epoch: epoch, within: .seconds(30))
                #expect(outcomes == [.granted(isRested: true)])
            }
            #expect(try leases.limitShares(within: .seconds(30)).count == 4)
            try leases.release(0, epoch: epoch, possibleHolders: [])
            let cluster = try PostgreSQLCluster(url: url)
            let error = failure { _ = try cluster.split(0) }
            #expect(error?.code == .unsupported && error?.message.contains("calls of a customer.") == true)
            #expect(error?.message.contains("shared") == false)
            #expect(try cluster.shards().count == 1)
            #expect(try cluster.split(0, growsLimits: true)?.shard == 1)
            leases.close()
        }

        @Test("a transaction that does not let it begin leaves the shard and an operator's wish as they were")
        func blocked() async throws {
            let process = Incarnation(high: 5, low: 6)
            let cluster = try PostgreSQLCluster(url: url)
            #expect(try cluster.want(0, process))
            let blocker = try await server.session("BEGIN; SELECT 1 FROM leases FOR UPDATE;", at: url)
            let split = Later { [url] in failure { _ = try PostgreSQLCluster(url: url).split(0) }?.code }
            #expect(try await split.value() == .held)
            #expect(try cluster.shards().map(\.wanted) == [process] && cluster.members() == [])
            blocker.signal(SIGKILL)
            try await blocker.end()
        }

        @Test("a single slice, a shard that is not there, and one too many are refused")
        func refused() throws {
            let all = try journal(in: server, shards: ClusterMap.maximumShards)
            #expect(failure { _ = try PostgreSQLCluster(url: all).split(3) }?.code == .unsupported)
            let cluster = try PostgreSQLCluster(url: url)
            #expect(try cluster.split(1) == nil)
            for _ in 0..<10 { _ = try cluster.split(0) }
            #expect(try cluster.shards()[0].slices.count == 1)
            #expect(failure { _ = try cluster.split(0) }?.code == .unsupported)
        }

        @Test("several at once are done one after the other")
        func several() async throws {
            let splits = (0..<4).map { _ in
                Later { [url] in Result { try PostgreSQLCluster(url: url).split(0)?.shard } }
            }
            var numbers: Set<UInt32?> = []
            for split in splits { numbers.insert(try await split.value().get()) }
            #expect(numbers == [1, 2, 3, 4])
            #expect(try PostgreSQLCluster(url: url).shards().map(\.slices.count).sorted() == [64, 64, 128, 256, 512])
            #expect(try findings() == [])
        }

        @Test("a verification finds slices that are in two shards or in none, and a loop in a wrong one")
        func slices() async throws {
            let writer = try open(url)
            try writer.commit([History.start])
            writer.close()
            _ = try PostgreSQLCluster(url: url).split(0)
            #expect(try findings() == [])
            try await server.sql("UPDATE shards SET slices = decode(repeat('ff', 128), 'hex') WHERE shard = 0", at: url)
            #expect(try findings().contains { $0.message.contains("both have slice") })
            try await server.sql("UPDATE shards SET slices = decode(repeat('00', 128), 'hex')", at: url)
            #expect(try findings().contains { $0.message == "1024 slices are in no shard." })
            #expect(try findings().contains { $0.loop == .main && $0.message.contains("does not have its slice") })
        }
    }
#endif
