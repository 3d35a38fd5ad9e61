#if PostgreSQL
    import FleetTestSupport
    import JournalStoreCompatibility
    import MobiusJournal
    import MobiusJournalPostgreSQL
    import MobiusWire
    import TestTraits
    import Testing

    @Suite(
        "Leases in PostgreSQL",
        .enabled(if: PostgreSQLServer.isTested, Comment(rawValue: PostgreSQLServer.reason)), .patient)
    struct LeaseTests {
        private let first = LeaseHolder(process: Incarnation(high: 1, low: 2), name: "first")
        private let second = LeaseHolder(process: Incarnation(high: 3, low: .max), name: "second \u{e9}\0")
        private let server: PostgreSQLServer
        private let url: String

        init() async throws {
            server = try await PostgreSQLServer.shared()
            url = try journal(in: server)
        }

        @Test("a lease is taken, renewed with its holder's endpoints, and released; each changes its number")
        func life() throws {
            let leases = try openLeases(url)
            let free = try leases.shard()
            #expect(free == ShardState(shard: 0, epoch: 0, change: 0, lease: nil))
            let epoch = try #require(try leases.take(free, as: first, for: .seconds(60)))
            #expect(epoch > 1_600_000_000_000)
            let taken = try leases.shard()
            #expect(taken.epoch == epoch && taken.change > free.change)
            #expect(taken.lease?.holder == first && taken.lease?.isConnected == true)
            #expect(try #require(taken.lease).remaining <= .seconds(60))
            #expect(try #require(taken.lease).remaining > .seconds(1))

            var serving = first
            (serving.workers, serving.clients) = ("tcp://a:1", "tcp://a:2")
            #expect(try leases.renew(0, epoch: epoch, as: serving, for: .seconds(600)))
            let renewed = try leases.shard()
            #expect(renewed.change > taken.change && renewed.epoch == epoch && renewed.lease?.holder == serving)
            #expect(try #require(renewed.lease).remaining > .seconds(60))

            let heirs = [first.process, second.process]
            #expect(renewed.heirs == nil)
            try leases.release(0, epoch: epoch, heirs: heirs)
            let released = try leases.shard()
            #expect(released.heirs == heirs)
            #expect(released.lease == nil && released.change > renewed.change && released.epoch == epoch)
            let again = try #require(try leases.take(released, as: second, for: .seconds(60)))
            #expect(again > epoch)
            let last = try leases.shard()
            #expect(last.heirs == nil)
            try leases.release(0, epoch: again, heirs: [])
            #expect(try leases.shard().heirs == [])
            #expect(last.change > released.change && last.lease?.holder == second)
            leases.close()
            #expect(try PostgreSQLInspector(url: url).builds(of: .main, in: 0...1) == [])
        }

        @Test("of eight takers that saw the same, one succeeds, and a later one that saw less does not")
        func race() async throws {
            let takers = try (0..<8).map { _ in try openLeases(url) }
            for _ in 0..<5 {
                let seen = try takers[0].shard()
                let attempts = takers.map { taker in
                    Later { [first] in Result { try taker.take(seen, as: first, for: .seconds(60)) } }
                }
                var epochs: [UInt64] = []
                for attempt in attempts {
                    if let epoch = try await attempt.value().get() { epochs.append(epoch) }
                }
                #expect(epochs.count == 1)
                #expect(try takers[7].shard().epoch == epochs.first)
                #expect(try takers[3].take(seen, as: second, for: .seconds(60)) == nil)
            }
            for taker in takers { taker.close() }
        }

        @Test("a renewal since it was seen keeps a taker away")
        func renewedMeanwhile() throws {
            let (holder, taker) = (try openLeases(url), try openLeases(url))
            let epoch = try #require(try holder.take(holder.shard(), as: first, for: .milliseconds(1)))
            let seen = try taker.shard()
            #expect(try holder.renew(0, epoch: epoch, as: first, for: .seconds(60)))
            let before = try taker.shard()
            #expect(try taker.take(seen, as: second, for: .seconds(60)) == nil)
            #expect(try taker.shard().change == before.change && taker.shard().epoch == epoch)
            holder.close()
            taker.close()
        }

        @Test("after another's taking, a renewal and a release change nothing")
        func late() async throws {
            let (holder, taker) = (try openLeases(url), try openLeases(url))
            let epoch = try #require(try holder.take(holder.shard(), as: first, for: .milliseconds(50)))
            try await eventually("the lease ends by the database's clock") {
                try taker.shard().lease.map { $0.remaining <= .zero } ?? false
            }
            #expect(try taker.shard().lease?.holder == first, "it is still named")
            let next = try #require(try taker.take(taker.shard(), as: second, for: .seconds(60)))
            let taken = try taker.shard()
            #expect(try !holder.renew(0, epoch: epoch, as: first, for: .seconds(60)))
            try holder.release(0, epoch: epoch, heirs: nil)
            let after = try taker.shard()
            #expect(after.change == taken.change && after.epoch == next && after.lease?.holder == second)
            // A coordinator without leases takes the journal, too.
            let journal = try open(url)
            #expect(try !taker.renew(0, epoch: next, as: second, for: .seconds(60)))
            #expect(try taker.shard().change == taken.change)
            journal.close()
            holder.close()
            taker.close()
        }

        @Test("a journal is opened under the epoch of a lease, and no other; the next taking fences it")
        func journals() async throws {
            let leases = try openLeases(url)
            let opener = JournalOpener.postgreSQL
            var request = JournalOpener.Request(url: url, application: "torture", build: "2")
            request.epoch = 17
            #expect(failure { _ = try opener.open(request) }?.code == .fenced)
            let epoch = try #require(try leases.take(leases.shard(), as: first, for: .seconds(60)))
            request.epoch = epoch
            let store = try opener.open(request)
            #expect(store.epoch == epoch)
            try store.commit([History.start] + History.batch(after: 0, count: 3))
            #expect(try store.builds(of: .main, in: 0...3) == ["1.0"], "the build that took the lease")
            let backend = try #require(store as? PostgreSQLJournal).backend
            #expect(try await server.sql("SELECT backend, epoch FROM shards", at: url) == "\(backend)|\(epoch)")
            #expect(
                try await server.sql(
                    "SELECT count(*) FROM shards JOIN pg_stat_activity a ON a.pid = backend AND a.backend_start = "
                        + "shards.backend_start", at: url) == "1")

            let next = try #require(try leases.take(leases.shard(), as: second, for: .seconds(60)))
            #expect(failure { try store.commit(History.batch(after: 3, count: 1)) }?.code == .fenced)
            #expect(failure { _ = try opener.open(request) }?.code == .fenced)
            store.close()
            request.epoch = next
            let successor = try opener.open(request)
            try successor.commit(History.batch(after: 3, count: 1))
            #expect(try RecoveredLoop.read(.main, from: successor).loop.lastSequence == 4)
            successor.close()
            leases.close()
            #expect(try PostgreSQLInspector(url: url).verify().findings == [])
        }

        @Test("the leases of another program's journal are refused, also when it was taken meanwhile")
        func foreign() throws {
            let leases = try openLeases(url)
            let other = try PostgreSQLJournal(url: url, application: "shop", build: "1")
            other.close()
            #expect(failure { _ = try leases.take(leases.shard(), as: first, for: .seconds(1)) }?.code == .foreign)
            leases.close()
            let error = failure { _ = try openLeases(url) }
            #expect(error?.code == .foreign && error?.message.contains("belongs to shop") == true)
        }
    }

    /// Opens leases for the program `torture`, which wait long, because the machine may be busy.
    func openLeases(_ url: String, patience: Duration = .seconds(30)) throws -> PostgreSQLLeases {
        var request = JournalOpener.Request(url: url, application: "torture", build: "1.0")
        request.patience = patience
        let leases = try JournalOpener.postgreSQL.leases?(request)
        return try #require(leases as? PostgreSQLLeases)
    }

    extension PostgreSQLLeases {
        /// The only shard.
        func shard() throws -> ShardState {
            try #require(try shards().first)
        }
    }
#endif
