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

        @Test("what every store of leases promises", arguments: LeaseStoreCompatibility.checks)
        func promise(_ check: LeaseStoreCompatibility.Check) throws {
            try check.run { try openLeases(url) }
        }

        @Test("a lease is taken, renewed with its holder's endpoints, and released; each changes its number")
        func life() throws {
            let leases = try openLeases(url)
            let free = try leases.shard()
            #expect(free == ShardState(shard: 0, epoch: 0, change: 0, lease: nil))
            let epoch = try #require(try leases.acquire(free, as: first, for: .seconds(60)))
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

            let possibleHolders = [first.process, second.process]
            #expect(renewed.possibleHolders == nil)
            try leases.release(0, epoch: epoch, possibleHolders: possibleHolders)
            let released = try leases.shard()
            #expect(released.possibleHolders == possibleHolders)
            #expect(released.lease == nil && released.change > renewed.change && released.epoch == epoch)
            let again = try #require(try leases.acquire(released, as: second, for: .seconds(60)))
            #expect(again > epoch)
            let last = try leases.shard()
            #expect(last.possibleHolders == nil)
            try leases.release(0, epoch: again, possibleHolders: [])
            #expect(try leases.shard().possibleHolders == [])
            #expect(last.change > released.change && last.lease?.holder == second)
            leases.close()
            #expect(try PostgreSQLInspector(url: url).builds(of: .main, in: 0...1) == [])
        }

        @Test("leases are renewed in one transaction, without waiting for those that another transaction has")
        func together() async throws {
            let url = try journal(in: server, shards: 64)
            let leases = try openLeases(url)
            let shards = try leases.shards()
            var all: [LeaseRenewal] = []
            for shard in shards.prefix(62) {
                let epoch = try #require(try leases.acquire(shard, as: first, for: .seconds(60)))
                all.append(LeaseRenewal(shard.shard, epoch, first))
            }
            let other = try openLeases(url)
            // One is another's, one was never taken, and one is being taken.
            _ = try #require(try other.acquire(try other.shards()[7], as: second, for: .seconds(60)))
            all.append(LeaseRenewal(62, 5, first))
            let blocker = try await server.session("BEGIN; SELECT 1 FROM leases WHERE shard = 9 FOR UPDATE;", at: url)
            let before = try leases.shards()
            let outcomes = try leases.renew(all.reversed(), for: .seconds(600))
            for (lease, outcome) in zip(all.reversed(), outcomes) {
                let expected: LeaseOutcome =
                    switch lease.shard {
                    case 7, 62: .lost
                    case 9: .delayed
                    default: .kept
                    }
                #expect(outcome == expected, "shard \(lease.shard)")
            }
            try blocker.endInput()
            try await blocker.end()
            for (old, new) in zip(before, try leases.shards()) {
                let isKept = new.shard < 62 && ![7, 9].contains(new.shard)
                #expect(new.change == old.change + (isKept ? 1 : 0), "shard \(new.shard)")
                #expect(new.lease.map { $0.remaining > .seconds(60) } ?? false == isKept, "shard \(new.shard)")
            }
            #expect(try leases.renew([all[9], LeaseRenewal(1000, 1, first)], for: .seconds(60)) == [.kept, .delayed])
            leases.close()
            other.close()
        }

        @Test("one shard's rows that are missing or not what was written stop no other shard")
        func damaged() async throws {
            let url = try journal(in: server, shards: 6)
            let leases = try openLeases(url)
            let holder = try #require(try leases.acquire(try leases.shards()[1], as: first, for: .seconds(600)))
            for change in [
                "DELETE FROM leases WHERE shard = 0", "UPDATE leases SET process = 'nobody' WHERE shard = 1",
                "UPDATE shards SET slices = 'short' WHERE shard = 2", "UPDATE shards SET identity = '' WHERE shard = 0",
                "INSERT INTO members (process, name, ready, until) VALUES ('x', '', true, 'infinity')",
                "INSERT INTO shards (shard, identity, slices) VALUES (-1, '', '')",
            ] {
                try await server.sql(change, at: url)
            }
            leases.close()
            let again = try openLeases(url)
            #expect(try again.attend(as: second, isReady: true, for: .seconds(60)).map(\.process) == [second.process])
            let shards = try again.shards()
            #expect(shards.map(\.shard) == [0, 1, 2, 3, 4, 5])
            #expect(shards.map(\.isDamaged) == [true, true, true, false, false, false])
            #expect(try again.acquire(shards[3], as: second, for: .seconds(600)) != nil)
            #expect(try again.renew([LeaseRenewal(1, holder, first)], for: .seconds(600)) == [.kept], "it is mended")
            #expect(try again.shards()[1].isDamaged == false)
            #expect(
                try PostgreSQLCluster(url: url).shards().map(\.isDamaged) == [true, false, true, false, false, false])
            again.close()
        }

        @Test("an epoch is above the one that somebody has seen, as long as there are later ones")
        func floors() throws {
            let leases = try openLeases(url)
            let floor: UInt64 = 1 << 60
            #expect(try leases.acquire(leases.shard(), as: first, for: .seconds(60), above: floor) == floor + 1)
            #expect(try leases.acquire(leases.shard(), as: first, for: .seconds(60), above: 7) == floor + 2)
            #expect(try leases.acquire(leases.shard(), as: first, for: .seconds(60), above: .max) == (1 << 62) + 1)
            leases.close()
        }

        @Test("under the same number another process renews nothing: a failover may have lost its taking")
        func sameEpoch() throws {
            let leases = try openLeases(url)
            let epoch = try #require(try leases.acquire(leases.shard(), as: first, for: .seconds(60)))
            #expect(try !leases.renew(0, epoch: epoch, as: second, for: .seconds(60)))
            #expect(try leases.shard().lease?.holder.process == first.process)
            #expect(try leases.renew(0, epoch: epoch, as: first, for: .seconds(60)))
            leases.close()
        }

        @Test("of eight takers that saw the same, one succeeds, and a later one that saw less does not")
        func race() async throws {
            let takers = try (0..<8).map { _ in try openLeases(url) }
            for _ in 0..<5 {
                let seen = try takers[0].shard()
                let attempts = takers.map { taker in
                    Later { [first] in Result { try taker.acquire(seen, as: first, for: .seconds(60)) } }
                }
                var epochs: [UInt64] = []
                for attempt in attempts {
                    if let epoch = try await attempt.value().get() { epochs.append(epoch) }
                }
                #expect(epochs.count == 1)
                #expect(try takers[7].shard().epoch == epochs.first)
                #expect(try takers[3].acquire(seen, as: second, for: .seconds(60)) == nil)
            }
            for taker in takers { taker.close() }
        }

        @Test("a renewal since it was seen keeps a taker away")
        func renewedMeanwhile() throws {
            let (holder, taker) = (try openLeases(url), try openLeases(url))
            let epoch = try #require(try holder.acquire(holder.shard(), as: first, for: .milliseconds(1)))
            let seen = try taker.shard()
            #expect(try holder.renew(0, epoch: epoch, as: first, for: .seconds(60)))
            let before = try taker.shard()
            #expect(try taker.acquire(seen, as: second, for: .seconds(60)) == nil)
            #expect(try taker.shard().change == before.change && taker.shard().epoch == epoch)
            holder.close()
            taker.close()
        }

        @Test("after another's taking, a renewal and a release change nothing")
        func late() async throws {
            let (holder, taker) = (try openLeases(url), try openLeases(url))
            let epoch = try #require(try holder.acquire(holder.shard(), as: first, for: .milliseconds(50)))
            try await eventually("the lease ends by the database's clock") {
                try taker.shard().lease.map { $0.remaining <= .zero } ?? false
            }
            #expect(try taker.shard().lease?.holder == first, "it is still named")
            let next = try #require(try taker.acquire(taker.shard(), as: second, for: .seconds(60)))
            let taken = try taker.shard()
            #expect(try !holder.renew(0, epoch: epoch, as: first, for: .seconds(60)))
            try holder.release(0, epoch: epoch, possibleHolders: nil)
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
            let epoch = try #require(try leases.acquire(leases.shard(), as: first, for: .seconds(60)))
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

            let next = try #require(try leases.acquire(leases.shard(), as: second, for: .seconds(60)))
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
            #expect(failure { _ = try leases.acquire(leases.shard(), as: first, for: .seconds(1)) }?.code == .foreign)
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

        func acquire(_ seen: ShardState, as holder: LeaseHolder, for time: Duration) throws(JournalError) -> UInt64? {
            try acquire(seen, as: holder, for: time, above: 0)
        }

        /// Whether the lease is kept.
        func renew(_ shard: UInt32, epoch: UInt64, as holder: LeaseHolder, for time: Duration) throws(JournalError)
            -> Bool
        {
            try renew([LeaseRenewal(shard, epoch, holder)], for: time) == [.kept]
        }
    }
#endif
