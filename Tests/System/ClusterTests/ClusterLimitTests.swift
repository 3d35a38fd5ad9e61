#if PostgreSQL
    import Bank
    import BankFleet
    import FleetTestSupport
    import TestTraits
    import Testing

    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Darwin)
        import Darwin
    #endif

    /// Limits that hold for all shards of a cluster together.
    @Suite(
        "Limits of a cluster",
        .enabled(if: PostgreSQLServer.isTested, Comment(rawValue: PostgreSQLServer.reason)), .patient)
    struct ClusterLimitTests {
        /// Workers with many slots, which note when their handlers ran.
        private static func workers(_ cluster: BankCluster, work milliseconds: Int) throws -> [TestProcess] {
            try (1...2).map { number in
                try cluster.bank.worker(
                    "w\(number)", connect: cluster.doors,
                    [
                        "--concurrency", "8", "--work", "\(milliseconds)", "--times", cluster.bank.folder.file("times"),
                    ])
            }
        }

        private static func times(_ cluster: BankCluster) throws -> [TimeSheet.Entry] {
            try TimeSheet.entries(in: cluster.bank.folder.file("times"))
        }

        @Test("a limit per key that was used keeps a split from letting more go unnoticed")
        func split() async throws {
            let bank = try ShardedBank(try await BankCluster("a", "b", server: .shared(), shards: 2))
            let cluster = bank.cluster
            let coordinator = try cluster.coordinator("a", ["--per-account", "1"])
            try await bank.shared(2)
            let worker = try cluster.worker("w")
            try await bank.open()
            try await bank.work(1)
            try await eventually("the limit is noted") {
                try await cluster.server.sql(
                    "SELECT DISTINCT convert_from(name, 'UTF8') FROM limit_shares WHERE units > 0", at: cluster.url)
                    == "account"
            }
            #expect(try await cluster.cluster("split", "0") == .exited(64))
            #expect(try await cluster.cluster("split", "0", "--grow-limits") == .exited(0))
            try await bank.work(1)
            #expect(try await bank.complaints() == [])
            withExtendedLifetime((coordinator, worker)) {}
        }

        @Test(
            "no more than three bookings run at once in all shards, which all go on, also when a coordinator is killed")
        func concurrency() async throws {
            let bank = try ShardedBank(try await BankCluster("a", "b", server: .shared(), shards: 4))
            let cluster = bank.cluster
            let options = ["--lease", "1s", "--together", "3"]
            let first = try cluster.coordinator("a", options)
            let second = try cluster.coordinator("b", options)
            try await bank.shared(2, 2)
            let workers = try Self.workers(cluster, work: 50)
            try await bank.open()
            try await bank.work(4)
            try await bank.settle()
            async let work: Void = bank.work(4)
            second.signal(SIGKILL)
            try await second.end()
            try await bank.shared(4)
            try await work
            let third = try cluster.coordinator("b", options)
            try await bank.shared(2, 2)
            try await bank.work(2)
            #expect(try await bank.complaints() == [])

            let times = try Self.times(cluster)
            #expect(times.count >= 8 * 10 * 2, "each branch's transfers have two bookings")
            let most = times.map { one in times.count { $0.begin <= one.begin && one.begin < $0.end } }.max()
            #expect(most == 3)
            withExtendedLifetime((first, third, workers)) {}
        }

        @Test("no more bookings begin than the rate of all shards together allows")
        func rate() async throws {
            let bank = try ShardedBank(try await BankCluster("a", "b", server: .shared(), shards: 4))
            let cluster = bank.cluster
            let coordinators = try ["a", "b"].map { try cluster.coordinator($0, ["--per-second", "8"]) }
            try await bank.shared(2, 2)
            let workers = try Self.workers(cluster, work: 0)
            try await bank.open()
            try await bank.work(4)
            #expect(try await bank.complaints() == [])

            let begins = try Self.times(cluster).map { Double($0.begin) / 1e9 }
            #expect(begins.count >= 8 * 4 * 2)
            for (place, begin) in begins.enumerated() {
                for (later, end) in begins.enumerated().dropFirst(place) {
                    // One bucket, and the rate; orders may be half a second on their way.
                    let allowed = 8 + 8 * (end - begin + 0.5)
                    #expect(Double(later - place + 1) <= allowed, "\(later - place + 1) in \(end - begin) s")
                }
            }
            withExtendedLifetime((coordinators, workers)) {}
        }
    }
#endif
