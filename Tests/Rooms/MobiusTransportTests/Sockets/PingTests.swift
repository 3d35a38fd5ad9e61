#if os(Linux)
    import Glibc
    import MobiusTransport
    import Testing

    /// Why no socket of a fleet pings: see `heartbeatInterval`.
    @Suite struct PingTests {
        /// A defect of libzmq 4.3.4 and 4.3.5; where it is mended, this fails, and pings may come back.
        @Test(.enabled(if: ZeroMQLibrary.version.hasPrefix("4.3.")))
        func aPingBehindAFullPipeEndsTheProcessOnceItsConnectionBreaks() async {
            let result = await #expect(processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent]) {
                // It needs the ping in the bytes that libzmq has read already, as it has nearly always.
                for _ in 0..<100 { try PingTests.breakABlockedConnection(ping: true) }
            }
            #expect(
                result.map { String(decoding: $0.standardErrorContent, as: UTF8.self).contains("_io_error") } == true)
        }

        @Test func withoutAPingTheSameConnectionEndsQuietly() throws {
            try Self.breakABlockedConnection(ping: false)
        }

        /// Resets a connection that a router does not read, and then reads on.
        static func breakABlockedConnection(ping: Bool) throws {
            let router = try Context().socket(.router)
            try router.set(.receiveHighWaterMark, to: 4)
            try router.bind("tcp://127.0.0.1:*")
            let peer = try connect(to: UInt16(router.lastEndpoint.split(separator: ":").last ?? "") ?? 0)
            let message: [UInt8] = [0, 5] + Array("hello".utf8)
            // Some messages more than are read ahead, in one segment with the ping: libzmq keeps these bytes.
            var words = Array(repeatElement(message, count: 6).joined())
            if ping { words += [4, 7, 4] + Array("PING".utf8) + [0, 0] }
            words += message
            try #require(send(peer, words, words.count, 0) == words.count)
            try waitUntilReadable(router)
            var reset = linger(l_onoff: 1, l_linger: 0)
            setsockopt(peer, SOL_SOCKET, SO_LINGER, &reset, socklen_t(MemoryLayout<linger>.size))
            close(peer)
            var (sender, received) = (PeerID(), 0)
            var frame = Message()
            while received < 4 {
                try waitUntilReadable(router)
                while try router.receive(from: &sender, into: &frame) == .message { received += 1 }
            }
            // What the connection's end set going on libzmq's thread is over when a new connection works.
            let dealer = try Context().socket(.dealer)
            try dealer.connect(router.lastEndpoint)
            try #require(try dealer.send(Array("and now".utf8)) == .sent)
            repeat {
                try waitUntilReadable(router)
                _ = try router.receive(from: &sender, into: &frame)
            } while frame.array != Array("and now".utf8)
        }

        /// ZMTP 3.0 without keys: signature, version, mechanism, as-server, filler.
        private static var greeting: [UInt8] {
            [0xFF, 0, 0, 0, 0, 0, 0, 0, 1, 0x7F, 3, 0] + Array("NULL".utf8) + [UInt8](repeating: 0, count: 48)
        }

        /// The READY command of a DEALER.
        private static var ready: [UInt8] {
            let body =
                [5] + Array("READY".utf8) + [11] + Array("Socket-Type".utf8) + [0, 0, 0, 6] + Array("DEALER".utf8)
            return [4, UInt8(body.count)] + body
        }

        private static func connect(to port: UInt16) throws -> CInt {
            let descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = port.bigEndian
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            let result = withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                    Glibc.connect(descriptor, generic, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
            try #require(result == 0)
            let introduction = greeting + ready
            try #require(send(descriptor, introduction, introduction.count, 0) == introduction.count)
            // The router's READY ends the handshake: it is a command with its length after a greeting of 64 bytes.
            var answer: [UInt8] = []
            while answer.count < 66 || answer.count < 66 + Int(answer[65]) {
                var bytes = [UInt8](repeating: 0, count: 256)
                let count = recv(descriptor, &bytes, bytes.count, 0)
                try #require(count > 0)
                answer += bytes[..<count]
            }
            return descriptor
        }
    }
#endif
