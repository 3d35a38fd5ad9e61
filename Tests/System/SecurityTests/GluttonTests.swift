#if os(Linux)  // which tells about other processes in /proc
    import FleetTestSupport
    import Foundation
    import MobiusTransport
    import MobiusWire
    import Synchronization
    import TestTraits
    import Testing

    /// A worker that sends the largest messages there are as fast as it can, and reads nothing.
    @Suite(.serialized, .patient)
    struct GluttonTests {
        /// What one such worker may cost in MiB: what is read ahead, what waits to be sent, what is decoded, and as much
        /// again for what the allocator keeps.
        private let memoryBound = 2 * (128 + 1024 * 64 / 1024)
        /// How many bytes it sends at least.
        private static let least = 16 << 20

        @Test func aWorkerThatOnlyTalksCostsItsShare() async throws {
            let fleet = try await GuardedFleet(keys: false)
            let worker = try fleet.worker(key: nil)
            try await worker.log("joined")
            let pid = fleet.coordinator.pid
            let before = try Usage.memory(of: pid)
            let most = Mutex(before)
            let endpoint = fleet.endpoint
            let sent = try await onThread {
                try Self.talk(to: endpoint, for: .seconds(6), atLeast: Self.least) {
                    let now = try Usage.memory(of: pid)
                    most.withLock { $0 = max($0, now) }
                }
            }
            let after = most.withLock { $0 }
            print("memory \(before) -> \(after) MiB for \(sent >> 20) MiB sent")
            #expect(sent > Self.least)
            #expect(after - before < memoryBound, "from \(before) to \(after) MiB")
            // And the fleet goes on.
            let (end, text) = try await fleet.mobius(["send", "{\"guestArrived\":{\"_0\":\"last\"}}"], key: nil)
            #expect(end == .exited(0), "\(text)")
            try await worker.output.wait(for: "the guest") { !$0.isEmpty }
        }

        /// Sends heartbeats of unknown attempts as fast as possible, for a time and then until they have enough bytes; returns
        /// the number of bytes.
        private static func talk(
            to endpoint: String, for duration: Duration, atLeast least: Int, _ look: () throws -> Void
        ) throws -> Int {
            let socket = try Context().socket(.dealer)
            try socket.set(.linger, to: .zero)
            try socket.set(.receiveHighWaterMark, to: 1)
            try socket.set(.sendHighWaterMark, to: 4)
            try socket.connect(endpoint)
            var poller = Poller()
            let item = poller.add(socket, for: [.readable, .writable])
            _ = try socket.send(frame(epoch: 0, session: 0, .hello(hello())))
            var welcome: Envelope<CoordinatorMessage>?
            var message = Message()
            let joining = PatientWait()
            while welcome == nil {
                guard !joining.isOver else { throw POSIXError(.ETIMEDOUT) }
                try poller.wait(timeout: .seconds(1))
                guard try socket.receiveWhole(into: &message) == .message else { continue }
                welcome = try message.withBytes { (bytes) throws(WireError) in try Envelope(decoding: bytes) }
            }
            let (epoch, session) = (welcome?.epoch ?? 0, welcome?.session ?? 0)
            poller.setInterest(.writable, for: item)
            let frames = [120_000, 4000, 4000, 4000].map { count in
                frame(
                    epoch: epoch, session: session,
                    .heartbeat(
                        creditTotal: 0, orders: OrderCount(),
                        held: (0..<count).map { HeldAttempt(id: attempt(UInt64($0) + 1_000_000)) }))
            }
            var (sent, next) = (0, 0)
            let (end, wait) = (ContinuousClock.now + duration, PatientWait())
            while ContinuousClock.now < end || (sent <= least && !wait.isOver) {
                if try socket.send(frames[next % frames.count]) == .sent {
                    sent += frames[next % frames.count].count
                    next += 1
                } else {
                    try poller.wait(timeout: .milliseconds(10))
                }
                try look()
            }
            return sent
        }

        private static func attempt(_ number: UInt64) -> AttemptID {
            AttemptID(
                effect: EffectID(loop: .main, sequence: number, index: 0), attempt: Attempt(epoch: 1, number: 1))
        }

        private static func hello() -> Hello {
            var random = SystemRandomNumberGenerator()
            return Hello(
                incarnation: .random(using: &random), pools: ["others"], build: "glutton",
                contentTypes: ["application/json"], creditTotal: 0)
        }

        private static func frame(epoch: UInt64, session: UInt64, _ message: WorkerMessage) -> [UInt8] {
            var frame: [UInt8] = []
            Envelope(epoch: epoch, session: session, message: message).encode(into: &frame)
            return frame
        }
    }
#endif
