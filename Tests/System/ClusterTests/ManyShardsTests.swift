#if PostgreSQL
    import Bank
    import BankFleet
    import FleetTestSupport
    import Foundation
    import MobiusClient
    import MobiusWire
    import TestTraits
    import Testing

    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Darwin)
        import Darwin
    #endif

    /// Coordinators that share the shards of one journal, on one host.
    @Suite(
        "Many shards",
        .enabled(if: PostgreSQLServer.isTested, Comment(rawValue: PostgreSQLServer.reason)), .patient)
    struct ManyShardsTests {
        @Test("shards are shared out when coordinators join, leave and die; nothing is lost or doubled between loops")
        func lives() async throws {
            let bank = try ShardedBank(try await BankCluster("a", "b", "c", server: .shared(), shards: 6))
            let cluster = bank.cluster
            let first = try cluster.coordinator("a")
            try await bank.shared(6)
            let workers = try (1...2).map { try cluster.worker("w\($0)") }
            try await bank.open()
            async let growing: Void = bank.work(4)
            let second = try cluster.coordinator("b")
            try await bank.shared(3, 3)
            let third = try cluster.coordinator("c")
            try await bank.shared(2, 2, 2)
            try await growing
            async let dying: Void = bank.work(4)
            second.signal(SIGKILL)
            try await second.end()
            try await bank.shared(3, 3)
            try await dying
            async let leaving: Void = bank.work(4)
            first.signal(SIGTERM)
            #expect(try await first.end() == .exited(0))
            try await bank.shared(6)
            try await leaving
            #expect(try await bank.complaints() == [])
            // One of many branches is in each shard, and main in one.
            let status = try await cluster.client.status(timeout: .seconds(10))
            #expect(status.loopCount == UInt64(bank.branches.count) + 1)
            #expect(status.workers.count == 2)
            let page = try await cluster.client.loops(timeout: .seconds(10))
            #expect(page.loops.map(\.loop.name) == bank.branches.map(\.name) + ["main"] && page.next == nil)
            withExtendedLifetime((workers, third)) {}
        }

        @Test("SIGSTOP of a coordinator for longer than the lease: others run its shards, and the zombie tells nobody")
        func zombie() async throws {
            let bank = try ShardedBank(try await BankCluster("a", "b", server: .shared(), shards: 4))
            let cluster = bank.cluster
            let (first, second) = (
                try cluster.coordinator("a", ["--lease", "1s"]), try cluster.coordinator("b", ["--lease", "1s"])
            )
            try await bank.shared(2, 2)
            let worker = try cluster.worker("w")
            try await bank.open()
            for _ in 1...2 {
                async let work: Void = bank.work(3)
                first.signal(SIGSTOP)
                try await bank.shared(4)
                first.signal(SIGCONT)
                try await bank.shared(2, 2)
                try await work
            }
            #expect(try await bank.complaints() == [])
            #expect(!first.isGone && !second.isGone)
            withExtendedLifetime(worker) {}
        }

        @Test("an operator moves shards and drains a coordinator, and takes that back")
        func operated() async throws {
            let bank = try ShardedBank(try await BankCluster("a", "b", server: .shared(), shards: 4))
            let cluster = bank.cluster
            let (first, second) = (try cluster.coordinator("a"), try cluster.coordinator("b"))
            try await bank.shared(2, 2)
            let worker = try cluster.worker("w")
            try await bank.open()
            async let draining: Void = bank.work(3)
            let name = "\(ProcessInfo.processInfo.hostName):\(first.pid)"
            #expect(try await cluster.cluster("drain", name) == .exited(0))
            try await bank.shared(4)
            try await draining
            #expect(try await cluster.cluster("drain", name, "--undo") == .exited(0))
            try await bank.shared(2, 2)
            async let moving: Void = bank.work(3)
            for shard in 0..<4 { #expect(try await cluster.cluster("move", "\(shard)", name) == .exited(0)) }
            try await eventually("the first has all") { try await bank.shares() == [name: 4] }
            try await moving
            #expect(try await bank.complaints() == [])
            #expect(try await cluster.cluster("move", "4", name) == .exited(64))
            #expect(try await cluster.cluster("move", "0", "nobody") == .exited(64))
            withExtendedLifetime((worker, second)) {}
        }

        @Test("one slot serves all shards in turn: nobody waits for ever, and none is used twice")
        func oneSlot() async throws {
            let bank = try ShardedBank(try await BankCluster("a", "b", server: .shared(), shards: 4))
            let cluster = bank.cluster
            let coordinators = try ["a", "b"].map { try cluster.coordinator($0) }
            try await bank.shared(2, 2)
            let worker = try cluster.bank.worker("w", connect: cluster.doors, ["--concurrency", "1", "--work", "20"])
            try await bank.open()
            try await bank.work(4)
            #expect(try await bank.complaints() == [])
            #expect(try cluster.bank.ledger().allSatisfy { $0.asked == 1 })
            withExtendedLifetime((coordinators, worker)) {}
        }

        @Test("every coordinator serves all loops over HTTP, and the number of shards that it runs")
        func http() async throws {
            let bank = try ShardedBank(try await BankCluster("a", "b", server: .shared(), shards: 4))
            let cluster = bank.cluster
            let coordinators = try ["a", "b"].map { try cluster.coordinator($0, ["--http", "0"]) }
            try await bank.shared(2, 2)
            try await bank.open()
            for coordinator in coordinators {
                for branch in bank.branches {
                    let path = "/loops/\(branch.name.replacing(" ", with: "%20"))"
                    let model = try await BankCluster.get(path, of: coordinator)
                    #expect(model.contains("1000000"), "\(model)")
                }
                let list = try await BankCluster.get("/loops?limit=100", of: coordinator)
                #expect(bank.branches.allSatisfy { list.contains($0.name) }, "\(list)")
                let metrics = try await BankCluster.get("/metrics", of: coordinator)
                #expect(metrics.contains("mobius_loops_owner 2") && metrics.contains("mobius_shards 4"))
            }
        }
    }
#endif
