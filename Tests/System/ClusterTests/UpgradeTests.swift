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

    /// Coordinators of two builds that share a journal, as in a rolling upgrade.
    @Suite(
        "A cluster of two builds",
        .enabled(if: PostgreSQLServer.isTested, Comment(rawValue: PostgreSQLServer.reason)), .patient)
    struct UpgradeTests {
        // None is lost on a slow machine: one that is killed is missed without it.
        private static let lease = "8s"
        private static let later = ["REGISTER_LATER": "1"]
        private let loops = (1...24).compactMap { LoopID("register/\($0)") }

        @Test("what the later one wrote is held while the earlier one runs it, and goes on at the next later one")
        func rolling() async throws {
            let cluster = try await RegisterCluster()
            let client = cluster.client(of: "a", "b")
            let first = try cluster.coordinator("a", lease: Self.lease)
            let second = try cluster.coordinator("b", lease: Self.lease)
            try await RegisterCluster.run([first, second])
            for loop in loops { try await RegisterCluster.insert(1, into: loop, by: client) }

            second.signal(SIGTERM)
            try await second.end()
            let upgraded = try cluster.coordinator("b", lease: Self.lease, environment: Self.later)
            try await RegisterCluster.run([upgraded])
            for loop in loops { try await RegisterCluster.insert(2, into: loop, by: client) }

            // The later build is lost before the upgrade is done.
            try await upgraded.kill()
            var held: Set<LoopID> = []
            for loop in loops where try await !RegisterCluster.insert(3, into: loop, by: client) { held.insert(loop) }
            #expect(!held.isEmpty && held.count < loops.count)
            let listed = held
            try await eventually("they are listed") {
                Set(try await client.quarantine().elements.map(\.loop)) == listed
            }
            #expect(!first.isGone)

            let again = try cluster.coordinator("b", lease: Self.lease, environment: Self.later)
            try await RegisterCluster.run([again])
            first.signal(SIGTERM)
            try await first.end()
            for loop in loops {
                for number in 3...4 { #expect(try await RegisterCluster.insert(number, into: loop, by: client)) }
                try await eventually("\(loop) has all, once") {
                    let (model, sequence) = try await RegisterCluster.model(of: loop, by: client)
                    return model.members == [1, 2, 3, 4] && sequence == 4
                }
            }
            try await eventually("none is listed") { try await client.quarantine().elements.isEmpty }
            #expect(!again.isGone)
        }

        @Test("an event for a loop that the earlier one runs waits until the builds agree, or an operator drops it")
        func betweenShards() async throws {
            let cluster = try await RegisterCluster()
            let client = cluster.client(of: "a", "b")
            let first = try cluster.coordinator("a", lease: Self.lease)
            let second = try cluster.coordinator("b", lease: Self.lease, environment: Self.later)
            try await RegisterCluster.run([first, second])
            // Each asks the next one, so that some go from the later build to the earlier one.
            for (number, loop) in loops.enumerated() {
                let next = loops[(number + 1) % loops.count]
                try await RegisterCluster.send(.pass(number, to: next.name), key: "\(number)", to: loop, by: client)
            }
            try await eventually("some are refused, and all others are there") {
                let pending = try await client.effects().elements
                return !pending.isEmpty && pending.allSatisfy { $0.obstacle.contains("refuses it") }
            }
            let waiting = try await client.effects().elements
            #expect(waiting.count < loops.count)
            #expect(try await client.deadLetters().elements.isEmpty)
            let dropped = try #require(waiting.first?.id)
            _ = try await client.dropDeadLetter(dropped)
            #expect(try await client.effects().elements.map(\.id) == waiting.map(\.id).filter { $0 != dropped })

            // The later build runs all.
            first.signal(SIGTERM)
            try await first.end()
            for (number, loop) in loops.enumerated() where loop != dropped.loop {
                let next = loops[(number + 1) % loops.count]
                try await eventually("\(next) has the event of \(loop), once") {
                    try await RegisterCluster.model(of: next, by: client).model.members == [number]
                }
            }
            try await eventually("none waits") { try await client.effects().elements.isEmpty }
            #expect(try await client.deadLetters().elements.isEmpty)
            let index = try #require(loops.firstIndex(of: dropped.loop))
            let next = loops[(index + 1) % loops.count]
            #expect(try await RegisterCluster.model(of: next, by: client).model.members == [])
            #expect(!second.isGone)
        }
    }
#endif
