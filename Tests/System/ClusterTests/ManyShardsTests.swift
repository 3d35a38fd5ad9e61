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

        @Test(
            "a journal of one shard is split into four while work goes on: nothing is lost or doubled, and everyone finds all"
        )
        func split() async throws {
            let bank = try ShardedBank(try await BankCluster("a", "b", server: .shared()))
            let cluster = bank.cluster
            let coordinators = [try cluster.coordinator("a"), try cluster.coordinator("b")]
            try await coordinators[0].log("listening")
            let serve = try await ServeProcess(of: cluster.clientDoors)
            try await bank.shared(1)
            let worker = try cluster.worker("w")
            try await bank.open()
            async let first: Void = bank.work(6)
            #expect(try await cluster.cluster("split", "0") == .exited(0))
            try await bank.shared(1, 1)
            try await first
            async let second: Void = bank.work(6)
            #expect(try await cluster.cluster("split", "1") == .exited(0))
            #expect(try await cluster.cluster("split", "0") == .exited(0))
            try await bank.shared(2, 2)
            try await second
            #expect(try await bank.complaints() == [])
            #expect(try await cluster.cluster("split", "4") == .exited(64))
            // A client of before the splits, one that begins now, and HTTP.
            let expected = bank.branches.map(\.name) + ["main"]
            for client in [cluster.client, cluster.newClient()] {
                #expect(try await client.loops(timeout: .seconds(10)).loops.map(\.loop.name) == expected)
                #expect(try await client.status(timeout: .seconds(10)).loopCount == UInt64(expected.count))
            }
            let list = try await BankCluster.get("/loops?limit=100", at: serve.address)
            #expect(expected.allSatisfy { list.contains("\"\($0)\"") }, "\(list)")
            let loops = try await cluster.server.sql(
                "SELECT count(*) FROM (SELECT shard FROM loops GROUP BY shard HAVING count(*) > 0) AS s",
                at: cluster.url)
            #expect(loops == "4", "or the branches show little")
            withExtendedLifetime((coordinators, worker)) {}
        }

        @Test("SIGKILL of a split, and of the coordinators around it: it is done or not, and all goes on")
        func splitKilled() async throws {
            let bank = try ShardedBank(try await BankCluster("a", "b", server: .shared(), shards: 2))
            let cluster = bank.cluster
            let options = ["--lease", "1s"]
            var coordinators = [try cluster.coordinator("a", options), try cluster.coordinator("b", options)]
            try await bank.shared(1, 1)
            let worker = try cluster.worker("w")
            try await bank.open()
            for round in 1...4 {
                async let work: Void = bank.work(3)
                let split = try TestProcess("mobius", ["cluster", "split", cluster.url, "\(round % 2)"])
                try await eventually("it is a guest, or done") {
                    let guests = try await cluster.server.sql(
                        "SELECT count(*) FROM members WHERE guest", at: cluster.url)
                    return guests != "0" || split.isGone
                }
                if round % 2 == 1 { split.signal(SIGKILL) } else { coordinators[0].signal(SIGKILL) }
                try await split.end()
                if round % 2 == 0 {
                    try await coordinators[0].end()
                    coordinators[0] = try cluster.coordinator("a", options)
                }
                // Counted each time: the commit of a split that was killed may still be on its way.
                try await eventually("all shards are shared") {
                    let count = Int(try await cluster.server.sql("SELECT count(*) FROM shards", at: cluster.url)) ?? 0
                    return try await bank.shares().values.sorted() == [count / 2, (count + 1) / 2]
                }
                try await work
            }
            #expect(try await bank.complaints() == [])
            withExtendedLifetime(worker) {}
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

        @Test(
            "one server has the loops of all shards over HTTP, also after SIGKILL of an owner, and each coordinator tells what it runs"
        )
        func http() async throws {
            let bank = try ShardedBank(try await BankCluster("a", "b", server: .shared(), shards: 4))
            let cluster = bank.cluster
            let coordinators = try ["a", "b"].map { try cluster.coordinator($0, ["--http", "0"]) }
            try await bank.shared(2, 2)
            try await bank.open()
            let serve = try await ServeProcess(of: cluster.clientDoors, ["--timeout", "60s"])
            func read() async throws {
                for branch in bank.branches {
                    let path = "/loops/\(branch.name.replacing(" ", with: "%20"))"
                    let model = try await BankCluster.get(path, at: serve.address)
                    #expect(model.contains("1000000"), "\(model)")
                    let waits = try await BankCluster.get("\(path)/waits", at: serve.address)
                    #expect(waits.contains("It waits for"), "\(waits)")
                }
                // One status of all shards.
                let status = try await BankCluster.get("/status", at: serve.address)
                #expect(bank.branches.allSatisfy { status.contains("\"\($0.name)\"") }, "\(status)")
                let list = try await BankCluster.get("/loops?limit=100", at: serve.address)
                #expect(bank.branches.allSatisfy { list.contains($0.name) }, "\(list)")
            }
            try await read()
            for coordinator in coordinators {
                let metrics = try await BankCluster.get("/metrics", of: coordinator)
                #expect(metrics.contains("mobius_loops_owner 2") && metrics.contains("mobius_shards 4"))
            }
            // No request fails while the other takes over: it only takes longer.
            coordinators[0].signal(SIGKILL)
            try await read()
            try await bank.shared(4)
        }
    }
#endif
