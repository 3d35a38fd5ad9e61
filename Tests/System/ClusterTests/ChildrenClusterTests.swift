#if PostgreSQL
    import Bank
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

    /// Loops that take others along when they end, which may be in other shards.
    @Suite(
        "Children in many shards",
        .enabled(if: PostgreSQLServer.isTested, Comment(rawValue: PostgreSQLServer.reason)), .patient)
    struct ChildrenClusterTests {
        @Test(
            "a tree of loops ends with its root, over a SIGKILL of either coordinator, and others go on",
            arguments: [0, 1])
        func treeEnds(killed: Int) async throws {
            let processes = try BankProcesses()
            let place = try await BankCluster.Place.guarded(processes)
            let bank = try ShardedBank(
                try await BankCluster("a", "b", server: .shared(), bank: processes, place: place, shards: 4))
            let (client, hour) = (bank.cluster.client, Duration.seconds(3600))
            let coordinators = [try bank.cluster.coordinator("a"), try bank.cluster.coordinator("b")]
            try await bank.shared(2, 2)
            try await bank.open()
            let branches = bank.branches
            // Each takes two others along but for the last, of which one ends without being asked.
            for (parent, child) in [(0, 1), (0, 2), (1, 3), (2, 4), (3, 5)] {
                let event = Bank.Event.childTaken(branches[child].name, ends: child % 2 == 0)
                try await bank.send(event, to: branches[parent], key: "takes \(child)")
            }
            try await bank.send(.childTaken("nowhere", ends: false), to: branches[5], key: "takes nobody")
            try await bank.send(.childTaken(branches[6].name, ends: true), to: branches[0], key: "takes 6")
            try await bank.send(.childLetGo(branches[6].name), to: branches[0], key: "lets go of 6")
            async let closing: Void = bank.send(.closed, to: branches[0], key: "closed")
            coordinators[killed].signal(SIGKILL)
            try await coordinators[killed].end()
            try await closing
            try await eventually("six branches have ended") {
                try await client.loops(state: .ended, timeout: .seconds(10)).loops.map(\.loop)
                    == Array(branches.prefix(6))
            }
            try await bank.shared(4)
            let all = try await client.loops(timeout: hour).loops.map(\.loop)
            #expect(all == branches + [.main])
            for child in [2, 4] {
                let acts = try await client.history(of: branches[child], timeout: hour).entries.filter {
                    $0.act == "end"
                }
                let parent = branches[child == 2 ? 0 : 2]
                #expect(acts.map(\.reason) == ["the loop \(parent) has ended, and takes this one along"])
            }
            let told = try await client.model(of: Bank.self, loop: branches[5], timeout: hour)
            #expect(told.hasClosed && told.surprises.isEmpty)
            #expect(try await bank.cluster.journal("verify") == .exited(0))
        }
    }
#endif
