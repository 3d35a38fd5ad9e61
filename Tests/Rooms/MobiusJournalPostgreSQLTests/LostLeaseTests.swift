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
        "Leases whose connection, writer or server is lost",
        .enabled(if: PostgreSQLServer.isTested, Comment(rawValue: PostgreSQLServer.reason)), .patient, .ownThread)
    struct LostLeaseTests {
        private let first = LeaseHolder(process: Incarnation(high: 1, low: 2), name: "first")
        private let second = LeaseHolder(process: Incarnation(high: 3, low: 4), name: "second")
        private let server: PostgreSQLServer
        private let url: String

        init() async throws {
            server = try await PostgreSQLServer.shared()
            url = try journal(in: server)
        }

        @Test("a holder is connected while the connection of its last renewal is there", arguments: [false, true])
        func connected(isTerminated: Bool) async throws {
            let (holder, other) = (try openLeases(url), try openLeases(url))
            let epoch = try #require(try holder.acquire(holder.shard(), as: first, for: .seconds(600)))
            #expect(try other.shard().lease?.isConnected == true)
            if isTerminated { try await server.sql("SELECT pg_terminate_backend(\(holder.backend))") }
            if !isTerminated { holder.close() }
            try await eventually("the connection is gone") { try other.shard().lease?.isConnected == false }
            #expect(try #require(other.shard().lease).remaining > .seconds(60), "the lease lasts")
            if isTerminated {
                #expect(failure { _ = try holder.shards() }?.code == .notReadable)
                holder.close()
            }
            let again = try openLeases(url)
            #expect(try other.shard().lease?.isConnected == false)
            #expect(try again.renew(0, epoch: epoch, as: first, for: .seconds(600)))
            #expect(try other.shard().lease?.isConnected == true)
            // A holder that was replaced keeps nothing.
            _ = try #require(try other.acquire(other.shard(), as: second, for: .seconds(600)))
            #expect(try again.shard().lease?.isConnected == true)
            other.close()
            try await eventually("the next connection is gone, too") {
                try again.shard().lease?.isConnected == false
            }
            again.close()
        }

        @Test("two journals in one database have leases of their own")
        func neighbours() throws {
            let (one, two) = (try openLeases(url), try openLeases(journal(in: server)))
            _ = try #require(try one.acquire(one.shard(), as: first, for: .seconds(600)))
            #expect(try two.shard().lease == nil)
            _ = try #require(try two.acquire(two.shard(), as: second, for: .seconds(600)))
            one.close()
            #expect(try two.shard().lease?.isConnected == true)
            two.close()
        }

        @Test("who waits wakes at a release, also one before it waited, and not at its own")
        func wakes() async throws {
            let (holder, other) = (try openLeases(url), try openLeases(url))
            let epoch = try #require(try holder.acquire(holder.shard(), as: first, for: .seconds(600)))
            #expect(try !other.wait(for: .milliseconds(20)))
            let waiting = Later { failure { _ = try other.wait(for: .seconds(3600)) } }
            try holder.release(0, epoch: epoch, possibleHolders: nil)
            #expect(try await waiting.value() == nil)
            let next = try #require(try holder.acquire(holder.shard(), as: first, for: .seconds(600)))
            try holder.release(0, epoch: next, possibleHolders: nil)
            #expect(try other.shard().lease == nil)
            #expect(try other.wait(for: .seconds(3600)))
            let begin = ContinuousClock.now
            #expect(try !holder.wait(for: .milliseconds(20)))
            #expect(begin.duration(to: .now) >= .milliseconds(20))
            holder.close()
            other.close()
        }

        @Test("who waits learns at once that its connection was ended")
        func ended() async throws {
            let leases = try openLeases(url)
            let waiting = Later { failure { _ = try leases.wait(for: .seconds(3600)) } }
            try await server.sql("SELECT pg_terminate_backend(\(leases.backend))")
            #expect(try await waiting.value()?.code == .notReadable)
            #expect(failure { _ = try leases.shards() }?.code == .notReadable)
            leases.close()
        }

        @Test("a commit of the earlier writer that does not end is ended with its connection")
        func commit() async throws {
            let leases = try openLeases(url)
            let epoch = try #require(try leases.acquire(leases.shard(), as: first, for: .milliseconds(1)))
            let journal = try PostgreSQLJournal(
                url: url, application: "torture", build: "1", limits: .standard, epoch: epoch)
            try journal.commit([History.start])
            let blocker = try await server.blocker("runs", at: url)
            let outcome = Later { failure { try journal.commit(History.batch(after: 0, count: 2)) } }
            try await server.waits(journal.backend)
            let begin = ContinuousClock.now
            let next = try #require(try leases.acquire(leases.shard(), as: second, for: .seconds(60)))
            // Without its end it would wait for 15 s, or for ever.
            #expect(begin.duration(to: .now) < .seconds(10))
            #expect(try await outcome.value()?.code == .notReadable)
            try blocker.endInput()
            try await blocker.end()
            journal.close()
            let successor = try PostgreSQLJournal(
                url: url, application: "torture", build: "1", limits: .standard, epoch: next)
            #expect(try successor.entries(of: .main, JournalRange(limit: 9)).entries.count == 1)
            successor.close()
            leases.close()
        }

        @Test("an open transaction of a lost host, with the fence, is ended; another connection's is not")
        func openTransaction() async throws {
            let leases = try openLeases(url)
            let epoch = try #require(try leases.acquire(leases.shard(), as: first, for: .milliseconds(1)))
            let owner = """
                UPDATE shards SET backend = pg_backend_pid(), backend_start =
                    (SELECT backend_start FROM pg_stat_activity WHERE pid = pg_backend_pid());
                """
            let lost = try await server.session("\(owner) BEGIN; SELECT fence(0, \(epoch));", at: url)
            let begin = ContinuousClock.now
            let next = try #require(try leases.acquire(leases.shard(), as: second, for: .milliseconds(1)))
            #expect(begin.duration(to: .now) < .seconds(10))
            try lost.endInput()
            try await lost.end()

            let stranger = try await server.session("BEGIN; SELECT fence(0, \(next));", at: url)
            #expect(failure { _ = try leases.acquire(leases.shard(), as: first, for: .seconds(1)) }?.code == .held)
            #expect(try leases.shard().epoch == next, "the leases of others are kept on")
            try stranger.type("SELECT 'still', 'there';\n")
            try await stranger.output.wait(for: "the stranger's answer") { $0.contains("still|there") }
            try stranger.endInput()
            try await stranger.end()
            leases.close()
        }

        @Test("a server's process that is stopped is given up after the patience, and so is one that does not connect")
        func frozen() async throws {
            let server = try await PostgreSQLServer()
            let url = try journal(in: server)
            let leases = try openLeases(url, patience: .seconds(3))
            let epoch = try #require(try leases.acquire(leases.shard(), as: first, for: .seconds(60)))
            server.stop(leases.backend)
            let begin = ContinuousClock.now
            let error = failure { _ = try leases.renew(0, epoch: epoch, as: first, for: .seconds(60)) }
            #expect(error?.code == .notReadable, "\(String(describing: error))")
            #expect(begin.duration(to: .now) < .seconds(20))
            #expect(failure { _ = try leases.shards() }?.code == .notReadable)
            server.go(on: leases.backend)
            leases.close()

            let postmaster = try #require(
                Int32(try await server.sql("SELECT split_part(pg_read_file('postmaster.pid'), E'\\n', 1)")))
            server.stop(postmaster)
            #expect(failure { _ = try openLeases(url, patience: .milliseconds(500)) }?.code == .notReadable)
            server.go(on: postmaster)
            try openLeases(url).close()
        }
    }
#endif
