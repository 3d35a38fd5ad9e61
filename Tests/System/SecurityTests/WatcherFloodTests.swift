#if os(Linux)  // which tells about other processes in /proc
    import FleetTestSupport
    import Foundation
    import MobiusClient
    import MobiusProcess
    import MobiusTransport
    import MobiusWire
    import Synchronization
    import TestTraits
    import Testing

    /// Many clients that watch a model, at both ports, and read nothing.
    @Suite(.serialized, .patient)
    struct WatcherFloodTests {
        /// The watchers at each port, and the requests that each of those at ZeroMQ's sends ahead.
        private let watchers = 150
        private let requests = 16
        /// What may wait for all of them in MiB: 256 and a reserve of 64 at ZeroMQ's port, 64 KiB for each stream; and a third
        /// for what the allocator keeps.
        private let memoryBound = (256 + 64 + 150 / 16) * 4 / 3

        @Test func theyCostTheirShareAndHonestWatchersGetTheNewestModel() async throws {
            OpenFiles.raiseLimit()
            let fleet = try await GuardedFleet(keys: false)
            let serve = try await fleet.serve()
            let (pid, http) = (fleet.coordinator.pid, serve.address)
            let client = FleetClient(connect: fleet.clients, timeout: Patience.limit)
            // A model of 256 KiB.
            _ = try await client.send(Payload.greeted(String(repeating: "x", count: 256 << 10)))
            let before = try Usage.memory(of: pid)
            let (endpoint, count, ahead) = (fleet.clients, watchers, requests)
            let crowd = try await onThread { try SleepyWatchers(count, asking: ahead, at: endpoint) }
            let streams = try (0..<watchers).map { _ in
                let stream = try RawConnection(http)
                stream.write("GET /loops/main/models HTTP/1.1\r\nHost: localhost\r\n\r\n")
                return stream
            }
            // Two honest watchers, who read.
            let (newest, streamed) = (Journey<UInt64>(), Journey<UInt64>())
            let watching = Task {
                for try await model in client.models(of: .main) {
                    newest.add(model.version.sequence)
                }
            }
            let reading = Task { try await Self.read(http) { streamed.add($0) } }
            defer {
                watching.cancel()
                reading.cancel()
            }
            var most = before
            let events: UInt64 = 30
            for number in 1...events {
                try await client.send(Payload.greeted("guest"), key: "\(number)")
                #expect(try await client.model(of: .main).version.sequence == number + 1)
                most = max(most, try Usage.memory(of: pid))
            }
            try await eventually("both honest watchers have the newest model") {
                most = max(most, try Usage.memory(of: pid))
                return newest.elements.last == events + 1 && streamed.elements.last == events + 1
            }
            #expect(most - before < memoryBound, "from \(before) to \(most) MiB")
            withExtendedLifetime((crowd, streams, serve)) {}
            await client.close()
        }

        /// More streams than may watch at once, one after the other: each gives back what it took when its client goes, not
        /// when its wait for an event is over.
        @Test func streamsThatAreClosedLeaveRoomForOthers() async throws {
            let fleet = try await GuardedFleet(keys: false)
            let serve = try await fleet.serve()
            let http = serve.address
            try await FleetClient(connect: fleet.clients, timeout: Patience.limit).send(Payload.greeted("guest"))
            let refused = try await onThread {
                try (1...2300).filter { _ in
                    let stream = try RawConnection(http)
                    stream.write("GET /loops/main/models HTTP/1.1\r\nHost: localhost\r\n\r\n")
                    var text = ""
                    // To the end of the first model: then it waits for the next one.
                    while !text.contains("data: "), let bytes = stream.readSome() {
                        text += String(decoding: bytes, as: UTF8.self)
                        if text.hasPrefix("HTTP/1.1 503") { return true }
                    }
                    return !text.contains("data: ")
                }
            }
            #expect(refused == [])
            withExtendedLifetime((fleet, serve)) {}
        }

        /// Reads a stream of models to its end, and the next one after that, and calls `see` with each event's number.
        private static func read(_ address: String, _ see: @escaping @Sendable (UInt64) -> Void) async throws {
            try await onThread {
                while true {
                    let stream = try RawConnection(address)
                    stream.write("GET /loops/main/models HTTP/1.1\r\nHost: localhost\r\n\r\n")
                    var rest: [UInt8] = []
                    while let bytes = stream.readSome() {
                        // The tests end the thread with the process.
                        rest += bytes
                        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                            let line = String(decoding: rest[..<end], as: UTF8.self)
                            rest.removeFirst(end + 1)
                            if line.hasPrefix("id: "), let id = UInt64(line.dropFirst(4).prefix { $0 != "-" }) {
                                see(id)
                            }
                        }
                    }
                }
            }
        }
    }

    /// Clients that ask for a model and for the next ones, and read no answer.
    final class SleepyWatchers: @unchecked Sendable {
        private final class One {
            // Kept and released only.
            let socket: Socket

            init(_ socket: consuming Socket) { self.socket = socket }
        }

        private let sockets: [One]

        init(_ count: Int, asking requests: Int, at endpoint: String) throws {
            let context = Context()
            sockets = try (0..<count).map { _ in
                let socket = try context.socket(.dealer)
                try socket.set(.linger, to: .zero)
                try socket.set(.receiveHighWaterMark, to: 1)
                try socket.connect(endpoint)
                var poller = Poller()
                _ = poller.add(socket, for: .writable)
                for number in 1...requests {
                    var frame: [UInt8] = []
                    NumberedRequest(
                        number: UInt64(number),
                        request: number.isMultiple(of: 2) ? .model(.main) : .watch(.main, seen: nil)
                    )
                    .encode(into: &frame)
                    while try socket.send(frame) != .sent { try poller.wait(timeout: .seconds(1)) }
                }
                return One(socket)
            }
        }
    }
#endif
