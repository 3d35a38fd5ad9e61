#if PostgreSQL
    import BankFleet
    import FleetTestSupport
    import MobiusClient
    import TestTraits
    import Testing

    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Darwin)
        import Darwin
    #endif

    /// What operators do by hand where a journal has several shards.
    @Suite(
        "Operators of many shards",
        .enabled(if: PostgreSQLServer.isTested, Comment(rawValue: PostgreSQLServer.reason)), .patient)
    struct OperatorActClusterTests {
        @Test(
            "a pool is paused in all shards, over a SIGKILL and a split, until it is resumed; and a loop of any shard ends by hand"
        )
        func pauses() async throws {
            let bank = try ShardedBank(try await BankCluster("a", "b", server: .shared(), shards: 2))
            let (cluster, client, hour) = (bank.cluster, bank.cluster.client, Duration.seconds(3600))
            let (first, second) = (try cluster.coordinator("a"), try cluster.coordinator("b"))
            try await bank.shared(1, 1)
            let worker = try cluster.worker("w")
            try await bank.open()
            #expect(try await client.pausePool("bank", why: "the vault is shut", timeout: hour) == .done)
            #expect(try await client.pausePool("bank", why: "again", timeout: hour) == .repeated)
            try await bank.work(2)
            second.signal(SIGKILL)
            try await second.end()
            try await bank.shared(2)
            #expect(try await cluster.cluster("split", "0") == .exited(0))
            try await bank.shared(3)
            try await bank.work(2)
            try await eventually("every shard shows the pause") {
                let pool = try await client.status(timeout: .seconds(10)).pools.first { $0.pool == "bank" }
                return pool?.pause?.why == "the vault is shut" && pool?.workers == 1 && pool?.running == 0
            }
            #expect(try cluster.bank.ledger().isEmpty)
            #expect(try await client.resumePool("bank", timeout: hour) == .done)
            #expect(try await client.resumePool("bank", timeout: hour) == .repeated)
            #expect(try await bank.complaints() == [])
            for branch in bank.branches { #expect(try await client.end(branch, why: "sold", timeout: hour) == .done) }
            await #expect(throws: FleetClientError.self) {
                try await client.end(bank.branches[0], why: "sold", timeout: hour)
            }
            let ended = try await client.loops(state: .ended, timeout: hour).loops.map(\.loop)
            #expect(ended == bank.branches)
            withExtendedLifetime((first, worker)) {}
        }
    }
#endif
