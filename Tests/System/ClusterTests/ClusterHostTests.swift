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

    /// Two coordinators, two workers and a database on hosts of their own, with keys, on a network that is cut.
    @Suite(
        "A cluster on several hosts",
        .enabled(if: PostgreSQLServer.isTested, Comment(rawValue: PostgreSQLServer.reason)),
        .enabled(if: Hosts.isTested, "this user may not make network namespaces, which stand for the hosts"),
        .patient)
    struct ClusterHostTests {
        private let hosts: Hosts
        private let server: PostgreSQLServer
        private let cluster: BankCluster

        init() async throws {
            hosts = try await Hosts("db", "head", "spare", "east", "west")
            server = try await PostgreSQLServer(at: hosts.address("db"), on: hosts.on("db"))
            let bank = try BankProcesses()
            cluster = try await BankCluster(
                "head", "spare", server: server, bank: bank, place: try await .hosts(hosts, bank),
                initialising: hosts.on("head"))
        }

        /// Both coordinators, of which `head` runs the loops, and workers on two hosts, with all accounts open.
        private func started() async throws -> (head: TestProcess, spare: TestProcess, workers: [TestProcess]) {
            let (head, spare) = try await cluster.pair()
            let workers = [try cluster.worker("east", on: "east"), try cluster.worker("west", on: "west")]
            for worker in workers { try await worker.log("joined the coordinator") }
            try await cluster.openAccounts()
            try await cluster.transfers(10, prefix: "before")
            return (head, spare, workers)
        }

        @Test("the owner's host is lost: the other takes over when the lease has ended")
        func hostLost() async throws {
            let (head, spare, workers) = try await started()
            try await hosts.cut("head")
            try await cluster.owns(spare)
            try await cluster.transfers(10, prefix: "during")
            try await hosts.mend("head")
            try await head.log("the lease is lost")
            try await cluster.transfers(10, prefix: "after")
            #expect(try await cluster.complaints() == [])
            #expect(!head.isGone)
            withExtendedLifetime(workers) {}
        }

        @Test("the database's answers do not reach the owner, which tells nobody anything more")
        func cutFromDatabase() async throws {
            let (head, spare, workers) = try await started()
            async let placed: Void = cluster.transfers(40, prefix: "during")
            try hosts.forsake("db", "head")
            try await cluster.owns(spare)
            try await placed
            try hosts.regain("db", "head")
            try await head.log("the lease is lost")
            try await cluster.transfers(10, prefix: "after")
            #expect(try await cluster.complaints() == [])
            #expect(!head.isGone)
            withExtendedLifetime(workers) {}
        }

        @Test("the owner cannot reach one host's workers: the other host's do the work, and the lease stays")
        func cutFromWorkers() async throws {
            let (head, spare, workers) = try await started()
            try hosts.forsake("head", "east")
            try await cluster.transfers(20, prefix: "during")
            try await eventually("the west does all") { try cluster.bank.ledger("west").count >= 20 }
            try hosts.regain("head", "east")
            try await cluster.transfers(10, prefix: "after")
            #expect(try await cluster.complaints() == [])
            #expect(spare.logged("runs the loops") == 0)
            #expect(head.logged("runs the loops") == 1)
            withExtendedLifetime(workers) {}
        }

        @Test("the standby's host is lost, and comes back: nobody notices")
        func standbyLost() async throws {
            let (head, spare, workers) = try await started()
            try await hosts.cut("spare")
            try await cluster.transfers(20, prefix: "during")
            try await spare.log("does not answer")
            try await hosts.mend("spare")
            try await cluster.transfers(10, prefix: "after")
            // It can take over again.
            head.signal(SIGKILL)
            try await head.end()
            try await cluster.owns(spare)
            try await cluster.transfers(10, prefix: "later")
            #expect(try await cluster.complaints() == [])
            withExtendedLifetime(workers) {}
        }

        @Test("commits that take 50 ms, and a kill among them")
        func slowCommits() async throws {
            let (head, spare, workers) = try await started()
            try await hosts.delay("db", milliseconds: 25)
            async let placed: Void = cluster.transfers(40, prefix: "slow")
            try await eventually("some are booked") { try cluster.bank.ledger().count >= 40 }
            head.signal(SIGKILL)
            try await head.end()
            try await cluster.owns(spare)
            try await placed
            #expect(try await cluster.complaints() == [])
            withExtendedLifetime(workers) {}
        }
    }
#endif
