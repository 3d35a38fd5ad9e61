#if PostgreSQL
    import BankFleet
    import FleetTestSupport
    import MobiusClient
    import MobiusWire
    import TestTraits
    import Testing

    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Darwin)
        import Darwin
    #endif

    /// A cluster of which one shard cannot be run.
    @Suite(
        "A shard that cannot be run",
        .enabled(if: PostgreSQLServer.isTested, Comment(rawValue: PostgreSQLServer.reason)), .patient)
    struct UnfitShardTests {
        private let loops = (1...24).compactMap { LoopID("register/\($0)") }
        private let server: PostgreSQLServer
        private let cluster: RegisterCluster
        private let client: FleetClient

        init() async throws {
            server = try await .shared()
            cluster = try await RegisterCluster()
            client = cluster.client(of: "a", "b")
        }

        @Test("damaged, it stands still, the others go on, and no coordinator ends; repaired, it goes on by itself")
        func damaged() async throws {
            let first = try await start()
            for loop in loops { try await RegisterCluster.insert(1, into: loop, by: client) }
            for process in first { try await process.kill() }
            let others = try await loops(besides: 2)
            try await server.sql("INSERT INTO active_loops VALUES (2, 77, 0)", at: cluster.url)

            let running = try await start()
            try await goesOn(running, others, word: "is damaged")
            // Each has its share of the others: the one that cannot be run says nothing against a process.
            let owners = "SELECT count(DISTINCT process) FROM leases WHERE until > clock_timestamp() AND shard != 2"
            try await eventually("both run some") { try await server.sql(owners, at: cluster.url) == "2" }

            try await server.sql("DELETE FROM active_loops WHERE shard = 2 AND loop = 77", at: cluster.url)
            for loop in loops {
                for number in 2...3 { try await RegisterCluster.insert(number, into: loop, by: client) }
                try await eventually("\(loop) has all") {
                    try await RegisterCluster.model(of: loop, by: client).model.members == [1, 2, 3]
                }
            }
            #expect(!running.contains { $0.isGone })
        }

        @Test("where update is not pure for one loop, that one is held, and its shard goes on")
        func impure() async throws {
            let first = try await start(lease: "8s")
            for loop in loops { try await RegisterCluster.insert(1, into: loop, by: client) }
            let others = try await loops(besides: 2)
            let inside = try #require(Set(loops).subtracting(others).first)
            try await RegisterCluster.send(.roll, key: "roll", to: inside, by: client)
            // The end of each writes a snapshot, with which the next start compares what it computes.
            for process in first {
                process.signal(SIGTERM)
                try await process.end()
            }
            let running = try await start()
            for loop in loops where loop != inside { try await RegisterCluster.insert(2, into: loop, by: client) }
            // It is told that the loop is held.
            #expect(try await RegisterCluster.insert(2, into: inside, by: client) == false)
            let lines = running.flatMap(\.errors.elements)
            #expect(lines.contains { $0.contains("loop held: update is not pure") && $0.contains("\(inside)") })
            #expect(!lines.contains { $0.contains("a shard cannot be run") })
            #expect(!running.contains { $0.isGone })
        }

        private func start(lease: String = "4s") async throws -> [TestProcess] {
            let processes = try ["a", "b"].map { try cluster.coordinator($0, lease: lease) }
            try await RegisterCluster.run(processes)
            return processes
        }

        /// The loops that are not in this shard, which has some.
        private func loops(besides shard: Int) async throws -> [LoopID] {
            let names = try await server.sql(
                "SELECT convert_from(name, 'UTF8') FROM loops WHERE shard = \(shard)", at: cluster.url)
            let inside = Set(names.split(separator: "\n").compactMap { LoopID(String($0)) })
            let others = loops.filter { !inside.contains($0) }
            try #require(!others.isEmpty && others.count < loops.count)
            return others
        }

        /// Sees that the other shards' loops go on while shard 2 is tried again and again.
        private func goesOn(_ running: [TestProcess], _ others: [LoopID], word: String) async throws {
            for loop in others { try await RegisterCluster.insert(2, into: loop, by: client) }
            try await eventually("it was tried again") {
                running.reduce(0) { $0 + $1.logged("a shard cannot be run") } >= 3
            }
            let line = running.flatMap(\.errors.elements).first { $0.contains("a shard cannot be run") } ?? ""
            #expect(line.contains("shard=2") && line.contains(word), "\(line)")
            for loop in others { try await RegisterCluster.insert(3, into: loop, by: client) }
            #expect(!running.contains { $0.isGone })
        }
    }
#endif
