#if os(Linux)  // which tells about other processes in /proc
    import FleetTestSupport
    import Foundation
    import MobiusClient
    import MobiusTransport
    import MobiusWire
    import TestTraits
    import Testing

    /// Clients that read a long history, and models of the past, as fast as they can.
    @Suite(.serialized, .patient)
    struct HistoryFloodTests {
        /// What 64 waiting requests may cost in MiB: a page of the history each, and what a replay reads at a time.
        private let memoryBound = 64

        @Test func honestEventsGoOnAndMemoryStaysBounded() async throws {
            let fleet = try await GuardedFleet(keys: false, options: ["--keep-history"])
            let (pid, endpoint, events) = (fleet.coordinator.pid, fleet.clients, 20_000)
            let sent = try await onThread {
                try NameFlood.overZeroMQ(events, at: endpoint) { number in
                    .send(loop: .main, key: "h\(number)", event: .greetingFailed("\(number % 10)"))
                }
            }
            #expect(sent.begun == events)
            let client = FleetClient(connect: endpoint, timeout: Patience.limit)
            try await client.send(Payload.greetingFailed("1"), key: "first")
            let before = try Usage.memory(of: pid)
            let alone = try await send(50, "alone", client, pid).time
            let flood = HistoryFlood()
            let flooding = Task { try await onThread { try flood.run(40, at: endpoint, last: UInt64(events)) } }
            var most = before
            // Until it has cost enough, however fast the machine is.
            let (time, memory) = try await send(300, "flooded", client, pid)
            most = max(most, memory)
            flood.stop()
            let outcome = try await flooding.value
            print(
                "memory \(before) -> \(most) MiB; honest \(alone / 50) each alone, \(time / 300) flooded;",
                "\(outcome.pages) pages, \(outcome.models) models, \(outcome.busy) busy")
            #expect(most - before < memoryBound, "from \(before) to \(most) MiB")
            #expect(outcome.pages > 0 && outcome.others == 0, "\(outcome)")
            #expect(try await client.model(of: .main).version.sequence == UInt64(events) + 351)
            // And an honest reader has its turn.
            #expect(try await client.model(of: .main, at: 7).version.sequence == 7)
            await client.close()
        }

        /// Sends events one after the other, each confirmed; returns how long that took, and the most memory meanwhile.
        private func send(
            _ count: Int, _ key: String, _ client: FleetClient, _ pid: Int32
        ) async throws -> (time: Duration, memory: Int) {
            let begin = ContinuousClock.now
            var most = 0
            for number in 1...count {
                try await client.send(Payload.greetingFailed("1"), key: "\(key)\(number)")
                most = max(most, try Usage.memory(of: pid))
            }
            return (ContinuousClock.now - begin, most)
        }
    }
#endif
