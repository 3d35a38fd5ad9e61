#if os(Linux)  // which tells about other processes in /proc
    import FleetTestSupport
    import Foundation
    import MobiusTransport
    import TestTraits
    import Testing

    /// Strangers at the coordinator's ports: the fleet goes on, and its memory and descriptors stay bounded.
    @Suite(.serialized, .patient)
    struct HostileTests {
        /// What a thousand strangers at each port may cost in MiB.
        ///
        /// Of those who may be there unknown, 256 and 512, a sixth each gets a frame of 4 MiB held if the machine is so slow that he can send it in three seconds; and 96 for the
        /// rest. Measured: 30 on a machine with time, 217 on one with none.
        private let memoryBound = (256 + 512) / 6 * 4 + 96

        /// Lets the crowd speak until the condition holds.
        private func speaking(
            _ crowds: [Crowd], until what: String, _ condition: @escaping () throws -> Bool
        ) async throws {
            try await eventually(what) {
                crowds.forEach { $0.speak() }
                return try condition()
            }
        }

        @Test(arguments: [true, false])
        func aThousandStrangersOfAllKinds(hasKeys: Bool) async throws {
            let fleet = try await GuardedFleet(keys: hasKeys)
            let worker = try fleet.worker(key: hasKeys ? "worker" : nil)
            try await worker.log("joined")
            let pid = fleet.coordinator.pid
            let (memory, files) = (try Usage.memory(of: pid), try Usage.descriptors(of: pid))

            let crowds = [try Crowd(1000, at: fleet.endpoint), try Crowd(1000, at: fleet.clients)]
            #expect(crowds.map(\.present) == [1000, 1000])
            var (mostMemory, mostFiles) = (0, 0)
            for guest in 0..<3 {
                crowds.forEach { $0.speak() }
                let (end, text) = try await fleet.mobius(
                    ["send", "{\"guestArrived\":{\"_0\":\"\(guest)\"}}"], key: hasKeys ? "sender" : nil)
                #expect(end == .exited(0), "\(text)")
                mostMemory = max(mostMemory, try Usage.memory(of: pid))
                mostFiles = max(mostFiles, try Usage.descriptors(of: pid))
            }
            try await worker.output.wait(for: "all guests") { $0.count == 3 }
            // Whoever does not shake hands is out after three seconds, and whoever does and says no HELLO after ten.
            try await speaking(crowds, until: "most are gone") { crowds[0].present == 0 }
            mostMemory = max(mostMemory, try Usage.memory(of: pid))
            #expect(mostMemory - memory < memoryBound, "from \(memory) to \(mostMemory) MiB")
            #expect(mostFiles - files < 256 + 512 + 100, "from \(files) to \(mostFiles)")
            crowds.forEach { $0.leave() }
            try await eventually("their descriptors are free") { try Usage.descriptors(of: pid) <= files + 4 }
            let lines = fleet.coordinator.errors.elements.count
            #expect(lines < 100, "\(lines) lines of log for 2000 strangers")
            print("memory \(memory) -> \(mostMemory) MiB, descriptors \(files) -> \(mostFiles), log \(lines) lines")
        }

        @Test func theyComeAgainAndAgain() async throws {
            let fleet = try await GuardedFleet()
            let worker = try fleet.worker(key: "worker")
            try await fleet.greet("first", at: worker)
            let memory = try Usage.memory(of: fleet.coordinator.pid)
            for round in 0..<20 {
                let crowd = try Crowd(500, at: round.isMultiple(of: 2) ? fleet.endpoint : fleet.clients)
                crowd.speak()
                crowd.speak()
            }
            try await fleet.greet("last", at: worker)
            let after = try Usage.memory(of: fleet.coordinator.pid)
            #expect(after - memory < memoryBound, "from \(memory) to \(after) MiB")
        }

        @Test func aPeerWithoutHelloIsShownOut() async throws {
            let fleet = try await GuardedFleet()
            let key = try PeerKey(file: fleet.key("worker"))
            let endpoint = fleet.endpoint
            let isOut = try await onThread {
                let socket = try Context().socket(.dealer)
                try key.lock(socket)
                try socket.set(.reconnectInterval, to: nil)
                let monitor = try socket.monitor()
                try socket.connect(endpoint)
                var poller = Poller()
                _ = poller.add(monitor)
                let end = ContinuousClock.now + Patience.limit
                while ContinuousClock.now < end {
                    try poller.wait(timeout: .seconds(1))
                    while let event = try monitor.next() {
                        if event.kind == .disconnected { return true }
                    }
                }
                return false
            }
            #expect(isOut)
        }
    }
#endif
