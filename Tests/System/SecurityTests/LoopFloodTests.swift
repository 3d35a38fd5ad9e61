#if os(Linux)  // which tells about other processes in /proc
    import FleetTestSupport
    import Foundation
    import MobiusClient
    import MobiusTransport
    import MobiusWire
    import Synchronization
    import TestTraits
    import Testing

    /// Clients that name a new loop in each event they send.
    @Suite(.serialized, .patient)
    struct LoopFloodTests {
        /// The loops that may be; each has a model, a key and names in memory, of 2 to 4 KiB in a debug build.
        private let mostLoops = 3_000
        /// What these loops and the answers to two floods may cost in MiB.
        private let memoryBound = 12 + 64
        /// The names that come over ZeroMQ.
        private let names = 15_000
        /// Those that come over HTTP meanwhile, one after the other.
        private let namesOverHTTP = 500

        @Test func aFloodOfNamesEndsAtTheLimitAndHonestWorkGoesOn() async throws {
            let fleet = try await GuardedFleet(
                keys: false, options: ["--max-loops", "\(mostLoops)", "--http", "0"])
            let pid = fleet.coordinator.pid
            let client = FleetClient(connect: fleet.clients, timeout: Patience.limit)
            let before = try Usage.memory(of: pid)
            let serve = try await fleet.serve()
            let (endpoint, http) = (fleet.clients, serve.address)
            let isOver = Mutex(false)
            let floods = Task { [names, namesOverHTTP] in
                defer { isOver.withLock { $0 = true } }
                async let zeroMQ = onThread { try NameFlood.overZeroMQ(names, at: endpoint) }
                async let overHTTP = onThread { try NameFlood.overHTTP(1...namesOverHTTP, at: http) }
                return try await (zeroMQ, overHTTP)
            }
            let probes = try await fleet.probes()
            // Honest events and reads meanwhile, each of which waits for its answer.
            var (most, honest) = (before, 0)
            while honest < 20 || !isOver.withLock({ $0 }) {
                honest += 1
                try await client.send(Payload.greeted("guest \(honest % 10)"), key: "\(honest)")
                let version = try await client.model(of: .main).version
                #expect(version.sequence == UInt64(honest))
                most = max(most, try Usage.memory(of: pid))
            }
            let (zeroMQ, overHTTP) = try await floods.value
            // No more may begin, over HTTP neither.
            let further = try await onThread { [namesOverHTTP] in
                try NameFlood.overHTTP(namesOverHTTP + 1...namesOverHTTP + 20, at: http)
            }
            let cost = "memory \(before) -> \(most) MiB, \(honest) honest events, \(zeroMQ), \(overHTTP), \(further)"
            #expect(most - before < memoryBound, "\(cost)")
            #expect(zeroMQ.begun + overHTTP.begun == mostLoops - 1, "\(cost)")  // and main
            #expect(zeroMQ.refused > names / 2 && zeroMQ.others + overHTTP.others == 0, "\(cost)")
            #expect(further.refused == 20, "\(cost)")
            let error = await #expect(throws: FleetClientError.self) {
                try await client.send(Payload.greeted("x"), loop: try #require(LoopID("one more")))
            }
            #expect(error?.message.contains("its limit is \(mostLoops) (--max-loops)") == true)
            #expect(fleet.coordinator.errors.elements.count < 1000)
            let metrics = try await onThread { try NameFlood.get("/metrics", at: probes) }
            #expect(metrics.contains("mobius_loops_kept \(mostLoops)"))
            #expect(metrics.contains("mobius_loops_refused_total"))
            await client.close()
        }
    }
#endif
