#if PostgreSQL
    import FleetTestSupport
    import JournalStoreCompatibility
    import MobiusJournal
    import MobiusJournalPostgreSQL
    import MobiusWire
    import TestTraits
    import Testing

    @Suite(
        "Shards of a journal in PostgreSQL",
        .enabled(if: PostgreSQLServer.isTested, Comment(rawValue: PostgreSQLServer.reason)), .patient)
    struct ShardTests {
        private let first = LeaseHolder(process: Incarnation(high: 1, low: 2), name: "first")
        private let second = LeaseHolder(process: Incarnation(high: 3, low: .max), name: "second \u{e9}\0")
        private let server: PostgreSQLServer

        init() async throws {
            server = try await PostgreSQLServer.shared()
        }

        @Test(
            "the slices of a new journal's shards are disjoint, nearly as many in each, and all",
            arguments: [1, 3, 8, 256])
        func slices(shards: Int) throws {
            let leases = try openLeases(try journal(in: server, shards: shards))
            let states = try leases.shards()
            #expect(states.map(\.shard) == Array(0..<UInt32(shards)))
            for slice in 0..<SliceSet.slices { #expect(states.count { $0.slices.contains(slice) } == 1) }
            #expect(states.allSatisfy { [1024 / shards, 1024 / shards + 1].contains($0.slices.count) })
            leases.close()
        }

        @Test("each shard has a journal of its own: identity, epochs, fence and records")
        func apart() throws {
            let url = try journal(in: server, shards: 3)
            let journals = try (0..<3).map { try open(url, shard: $0) }
            #expect(Set(journals.map(\.identity)).count == 3)
            for (place, journal) in journals.enumerated() {
                try journal.commit([History.start])
                try journal.commit(History.batch(after: 0, count: 2 + UInt64(place)))
            }
            // The next opening of one ends that one only.
            let next = try open(url, shard: 1)
            #expect(failure { try journals[1].commit(History.batch(after: 3, count: 1)) }?.code == .fenced)
            try journals[0].commit(History.batch(after: 2, count: 1))
            try journals[2].commit(History.batch(after: 4, count: 1))
            try next.commit(History.batch(after: 3, count: 2))
            for (shard, last): (UInt32, UInt64) in [(0, 3), (1, 5), (2, 5)] {
                let inspector = try PostgreSQLInspector(url: url, shard: shard)
                #expect(try RecoveredLoop.read(.main, from: inspector).loop.lastSequence == last)
                // A loop that is in two shards lives twice.
                let isAtHome = try PostgreSQLCluster(url: url).shards()[Int(shard)].slices.contains(.main)
                #expect(try inspector.verify().findings.map(\.loop) == (isAtHome ? [] : [.main]))
            }
            for journal in [journals[0], next, journals[2]] { journal.close() }
        }

        @Test("leases of shards are taken and lost one by one")
        func leases() throws {
            let leases = try openLeases(try journal(in: server, shards: 2))
            let epoch = try #require(try leases.acquire(leases.shards()[1], as: first, for: .seconds(60)))
            #expect(try leases.shards().map { $0.lease?.holder } == [nil, first])
            #expect(try leases.shards().map { $0.lease?.isConnected } == [nil, true])
            let other = try #require(try leases.acquire(leases.shards()[0], as: first, for: .seconds(60)))
            try leases.release(1, epoch: epoch, possibleHolders: nil)
            #expect(try leases.shards().map { $0.lease?.holder } == [first, nil])
            #expect(try leases.renew(0, epoch: other, as: first, for: .seconds(60)))
            leases.close()
        }

        @Test("processes know of each other until they resign, or their time is over")
        func members() async throws {
            let url = try journal(in: server, shards: 2)
            let leases = try openLeases(url)
            func member(_ holder: LeaseHolder, isReady: Bool = true, isDraining: Bool = false) -> ClusterMember {
                ClusterMember(
                    process: holder.process, name: holder.name, isReady: isReady, isDraining: isDraining)
            }
            #expect(try leases.attend(as: first, isReady: true, for: .seconds(3600)) == [member(first)])
            #expect(
                try leases.attend(as: second, isReady: false, for: .milliseconds(200))
                    == [member(first), member(second, isReady: false)])
            let cluster = try PostgreSQLCluster(url: url)
            #expect(try cluster.drain(first.process))
            #expect(
                try leases.attend(as: first, isReady: true, for: .seconds(3600)).first
                    == member(first, isDraining: true))
            try await eventually("the time of the second is over") { try cluster.members().count == 1 }
            #expect(try !cluster.drain(second.process))
            #expect(try cluster.drain(first.process, false))
            #expect(try cluster.members() == [member(first)])
            try leases.resign(first.process)
            #expect(try cluster.members() == [])
            #expect(try cluster.want(1, first.process))
            #expect(try leases.shards().map(\.wanted) == [nil, first.process])
            #expect(try cluster.want(1, nil))
            #expect(try cluster.shards().map(\.wanted) == [nil, nil])
            #expect(try !cluster.want(2, nil))
            leases.close()
        }
    }
#endif
