#if PostgreSQL
    import Bank
    import BankFleet
    import FleetTestSupport
    import Foundation
    import TestTraits
    import Testing

    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Darwin)
        import Darwin
    #endif

    /// Two coordinators of one journal on one host: one runs the loops, the other stands by.
    @Suite(
        "A coordinator that stands by",
        .enabled(if: PostgreSQLServer.isTested, Comment(rawValue: PostgreSQLServer.reason)), .patient)
    struct StandbyTests {
        @Test("SIGKILL of the owner: the other takes over, workers and clients find it, nothing is lost or doubled")
        func killed() async throws {
            let cluster = try await BankCluster("a", "b", server: .shared())
            var owner = try cluster.coordinator("a")
            try await cluster.owns(owner)
            var standby = try cluster.coordinator("b")
            try await standby.log("listening")
            let worker = try cluster.worker("w")
            try await cluster.openAccounts()
            for round in 1...4 {
                async let placed: Void = cluster.transfers(20, prefix: "r\(round)-")
                try await eventually("some transfers are booked") { try cluster.bank.ledger().count >= 30 * round }
                owner.signal(SIGKILL)
                try await owner.end()
                try await cluster.owns(standby)
                try await placed
                // The dead one comes back, and stands by.
                (owner, standby) = (standby, try cluster.coordinator(round % 2 == 1 ? "a" : "b"))
                try await standby.log("listening")
            }
            #expect(try await cluster.complaints() == [])
            #expect(standby.logged("runs the loops") == 0)
            withExtendedLifetime(worker) {}
        }

        @Test("an orderly stop hands the loops over before the process ends")
        func handedOver() async throws {
            let cluster = try await BankCluster("a", "b", server: .shared())
            let (first, second) = try await cluster.pair()
            let worker = try cluster.worker("w", hold: "after")
            try await cluster.openAccounts()
            try await cluster.transfer("t")
            try await worker.says("after t/0")
            first.signal(SIGTERM)
            #expect(try await first.end() == .exited(0))
            try await cluster.owns(second)
            // The worker keeps what it holds, and tells the second.
            try worker.type("go\n")
            try await cluster.transfers(10, prefix: "later")
            #expect(try await cluster.complaints() == [])
            #expect(try cluster.bank.ledger().allSatisfy { $0.asked == 1 })
        }

        @Test("SIGSTOP for longer than the lease: the zombie tells nobody anything, and stands by when it wakes")
        func zombie() async throws {
            let cluster = try await BankCluster("a", "b", server: .shared())
            let (first, second) = try await cluster.pair(["--lease", "1s"])
            let worker = try cluster.worker("w")
            try await cluster.openAccounts()
            try await cluster.transfers(10, prefix: "before")
            first.signal(SIGSTOP)
            try await cluster.owns(second)
            try await cluster.transfers(10, prefix: "during")
            first.signal(SIGCONT)
            try await first.log("the lease is lost")
            try await cluster.transfers(10, prefix: "after")
            #expect(try await cluster.complaints() == [])
            #expect(first.isGone == false)
            #expect(try cluster.bank.ledger().allSatisfy { $0.asked == 1 })
            // It takes over again.
            second.signal(SIGKILL)
            try await second.end()
            try await cluster.owns(first, 2)
            try await cluster.transfers(10, prefix: "again")
            #expect(try await cluster.complaints() == [])
            withExtendedLifetime(worker) {}
        }

        @Test("SIGKILL of PostgreSQL: the coordinators wait for it, and one of them goes on", arguments: 1...2)
        func databaseKilled(round: Int) async throws {
            let server = try await PostgreSQLServer()
            let cluster = try await BankCluster("a", "b", server: server)
            let (first, second) = try await cluster.pair(["--lease", "1s"])
            let worker = try cluster.worker("w")
            try await cluster.openAccounts()
            async let placed: Void = cluster.transfers(30, prefix: "t")
            try await eventually("some transfers are booked") { try cluster.bank.ledger().count >= 10 * round }
            try await server.kill()
            try await eventually("both notice") {
                first.logged("does not answer") > 0 && second.logged("does not answer") > 0
            }
            try await server.start()
            try await placed
            try await cluster.transfers(10, prefix: "after")
            #expect(try await cluster.complaints() == [])
            #expect(!first.isGone && !second.isGone)
            withExtendedLifetime(worker) {}
        }

        @Test("probes and metrics tell the owner from those that stand by, before and after a take-over")
        func probes() async throws {
            let cluster = try await BankCluster("a", "b", server: .shared())
            let (first, second) = try await cluster.pair(["--http", "0"])
            let worker = try cluster.worker("w")
            try await cluster.openAccounts()
            try await eventually("the owner has a worker") {
                try await BankCluster.get("/metrics", of: first).contains("mobius_pool_workers{pool=\"bank\"} 1")
            }
            #expect(try await BankCluster.get("/metrics", of: first).contains("mobius_loops_owner 1"))
            // Less than one where a renewal is late.
            try await eventually("the lease lasts for some seconds") {
                try await BankCluster.get("/metrics", of: first).contains(/mobius_lease_seconds [1-3]/)
            }
            #expect(try await BankCluster.get("/metrics", of: second).contains("mobius_loops_owner 0"))
            #expect(try await !BankCluster.get("/metrics", of: second).contains("mobius_lease_seconds"))
            #expect(try await BankCluster.get("/readyz", of: second) == "ok")
            #expect(try await BankCluster.get("/owner", of: first) == "ok")
            let owner = try await BankCluster.get("/owner", of: second)
            #expect(owner.hasPrefix("no: it stands by: the loops are run by "), "\(owner)")
            first.signal(SIGKILL)
            try await first.end()
            try await eventually("the second is the owner") { try await BankCluster.get("/owner", of: second) == "ok" }
            #expect(try await BankCluster.get("/metrics", of: second).contains("mobius_loops_owner 1"))
            try await cluster.transfers(5, prefix: "after")
            #expect(try await cluster.complaints() == [])
            withExtendedLifetime(worker) {}
        }

        @Test("an event from the owner's own process is refused when its lease is lost before the event is on disk")
        func ownEvent() async throws {
            let cluster = try await BankCluster("a", "b", server: .shared())
            let (first, second) = try await cluster.pair()
            let holder = try await cluster.holder()
            let blocker = try await cluster.server.blocker("runs", at: cluster.url)
            try first.type("open 9 100\n")
            try await eventually("its commit waits") {
                let waiting = "SELECT count(*) FROM pg_locks WHERE NOT granted AND relation = 'runs'::regclass"
                return try await cluster.server.sql(waiting, at: cluster.url) == "1"
            }
            first.signal(SIGSTOP)
            try await eventually("the other has the lease") { try await !["", holder].contains(cluster.holder()) }
            try blocker.endInput()
            try await cluster.owns(second)
            first.signal(SIGCONT)
            try await first.output.wait(for: "the refusal") { said in
                said.contains { $0.hasPrefix("refused account-9 This coordinator stands by") }
            }
            // The event was not applied; the new owner applies it.
            try await cluster.send(.accountOpened(9, balance: 100), key: "account-9")
            #expect(try await cluster.complaints() == [])
            #expect(!first.isGone)
        }

        @Test("a backend that is ended in mid-commit costs a new reading of the loops, nothing else")
        func backendEnded() async throws {
            let cluster = try await BankCluster("a", "b", server: .shared())
            let first = try cluster.coordinator("a")
            try await cluster.owns(first)
            let worker = try cluster.worker("w")
            try await cluster.openAccounts()
            for round in 1...3 {
                async let placed: Void = cluster.transfers(20, prefix: "r\(round)-")
                try await eventually("some transfers are booked") { try cluster.bank.ledger().count >= 25 * round }
                let ended = try await cluster.server.sql(
                    "SELECT count(pg_terminate_backend(backend)) FROM shards", at: cluster.url)
                #expect(ended == "1")
                try await placed
            }
            #expect(try await cluster.complaints() == [])
            #expect(!first.isGone)
            withExtendedLifetime(worker) {}
        }
    }
#endif
