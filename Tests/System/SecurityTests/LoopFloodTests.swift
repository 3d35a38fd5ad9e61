#if os(Linux)  // which tells about other processes in /proc
    import FleetTestSupport
    import Foundation
    import MobiusClient
    import MobiusWire
    import Synchronization
    import TestTraits
    import Testing
    import ZeroMQ

    /// Clients that name a new loop in each event they send.
    @Suite(.serialized, .patient)
    struct LoopFloodTests {
        /// The loops that may be; each has a model, a key and names in memory, of 2 to 4 KiB in a debug build.
        private let mostLoops = 10_000
        /// What these loops and the answers to two floods may cost in MiB.
        private let memoryBound = 40 + 64

        @Test func aFloodOfNamesEndsAtTheLimitAndHonestWorkGoesOn() async throws {
            let fleet = try await GuardedFleet(
                keys: false, options: ["--max-loops", "\(mostLoops)", "--http", "0"])
            let pid = fleet.coordinator.pid
            let client = FleetClient(connect: fleet.clients, timeout: Patience.limit)
            let before = try Usage.memory(of: pid)
            let (endpoint, http) = (fleet.clients, try await fleet.http())
            let names = 200_000
            let floods = Task { [mostLoops] in
                async let overZeroMQ = onThread { try NameFlood.overZeroMQ(names, at: endpoint) }
                async let overHTTP = onThread { try NameFlood.overHTTP(mostLoops, at: http) }
                return try await (overZeroMQ, overHTTP)
            }
            let isOver = Mutex(false)
            let watching = Task {
                let (zeroMQ, http) = try await floods.value
                isOver.withLock { $0 = true }
                return (zeroMQ, http)
            }
            // Honest events and reads meanwhile, each of which waits for its answer.
            var (most, honest) = (before, 0)
            while honest < 20 || !isOver.withLock({ $0 }) {
                honest += 1
                try await client.send(Payload.greeted("guest \(honest % 10)"), key: "\(honest)")
                let version = try await client.model(of: .main).version
                #expect(version.sequence == UInt64(honest))
                most = max(most, try Usage.memory(of: pid))
            }
            let (zeroMQ, overHTTP) = try await watching.value
            print(
                "memory \(before) -> \(most) MiB; honest \(honest); ZeroMQ \(zeroMQ.begun) begun,",
                "\(zeroMQ.refused) refused, \(zeroMQ.busy) busy; HTTP \(overHTTP.begun), \(overHTTP.refused)")
            #expect(most - before < memoryBound, "from \(before) to \(most) MiB")
            #expect(zeroMQ.begun + overHTTP.begun == mostLoops - 1)  // and main
            #expect(zeroMQ.refused > names / 2 && zeroMQ.others == 0)
            #expect(overHTTP.refused > 0)
            let error = await #expect(throws: FleetClientError.self) {
                try await client.send(Payload.greeted("x"), loop: try #require(LoopID("one more")))
            }
            #expect(error?.message.contains("its limit is \(mostLoops) (--max-loops)") == true)
            #expect(fleet.coordinator.errors.elements.count < 100)
            let metrics = try await onThread { try NameFlood.get("/metrics", at: http) }
            #expect(metrics.contains("mobius_loops_kept \(mostLoops)"))
            #expect(metrics.contains("mobius_loops_refused_total"))
            await client.close()
        }
    }
#endif
