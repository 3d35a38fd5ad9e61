#if os(Linux)  // which tells about other processes in /proc
    import FleetTestSupport
    import Foundation
    import MobiusClient
    import MobiusTransport
    import MobiusWire
    import TestTraits
    import Testing

    /// Clients that ask for large models and do not read them.
    @Suite(.serialized, .patient)
    struct SlowWatcherTests {
        /// What may wait for one such client in MiB, and as much again for what the allocator keeps.
        private let memoryBound = 2 * 64 + 48

        @Test func aWatcherThatReadsNothingCostsItsShare() async throws {
            let fleet = try await GuardedFleet(keys: false)
            let client = FleetClient(connect: fleet.clients, timeout: Patience.limit)
            // A model of 2 MiB.
            let name = String(repeating: "x", count: 2 << 20)
            _ = try await client.send(
                Payload(kind: PayloadKind(type: ""), bytes: Array("{\"greeted\":{\"_0\":\"\(name)\"}}".utf8)))
            let before = try Usage.memory(of: fleet.coordinator.pid)
            let (endpoint, requests) = (fleet.clients, 400 as UInt64)
            let socket = try await onThread {
                let socket = try Context().socket(.dealer)
                try socket.set(.linger, to: .zero)
                try socket.set(.receiveHighWaterMark, to: 1)
                try socket.connect(endpoint)
                var poller = Poller()
                _ = poller.add(socket, for: .writable)
                for number in 1...requests {
                    var frame: [UInt8] = []
                    NumberedRequest(
                        number: number, request: number.isMultiple(of: 2) ? .model(.main) : .watch(.main, seen: nil)
                    )
                    .encode(into: &frame)
                    while try socket.send(frame) != .sent { try poller.wait(timeout: .seconds(1)) }
                }
                return Held(socket)
            }
            var most = before
            // Honest work goes on, and each event wakes the watchers.
            for number in 1...20 {
                try await client.send(
                    Payload(kind: PayloadKind(type: ""), bytes: Array("{\"guestArrived\":{\"_0\":\"Ada\"}}".utf8)),
                    key: "\(number)")
                #expect(try await client.model(of: .main).version.sequence == UInt64(number) + 1)
                most = max(most, try Usage.memory(of: fleet.coordinator.pid))
            }
            print("memory \(before) -> \(most) MiB for \(requests * 2) MiB of models requested")
            #expect(most - before < memoryBound, "from \(before) to \(most) MiB")
            withExtendedLifetime(socket) {}
            await client.close()
        }

        private final class Held: @unchecked Sendable {
            // Kept and released only.
            let socket: Socket

            init(_ socket: consuming Socket) { self.socket = socket }
        }
    }
#endif
