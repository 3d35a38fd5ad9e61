#if HTTP
    import FleetTestSupport
    import Foundation
    import MobiusHTTP
    import TestTraits
    import Testing

    /// The server's limits of time and bytes, at real sockets, with times that a test can wait for.
    @Suite(.patient)
    struct HTTPLimitTests {
        private let post = "POST /loops/main/events"
        private let json = "Content-Type: application/json"

        @Test func aBodyThatTakesTooLongEndsItsConnectionHoweverSteadilyItComes() async throws {
            let server = try await LocalServer { $0.body = .milliseconds(300) }
            let connection = try await server.begin(
                post, [json, "Content-Length: 1000000"], body: "\"", isWhole: false)
            let isOver = try await onThread {
                let wait = PatientWait()
                while !wait.isOver {
                    connection.write("x")
                    connection.waitForSomething(milliseconds: 5)
                    if connection.read() == nil { return true }
                }
                return false
            }
            #expect(isOver)
            #expect(server.events.elements.isEmpty)
            // One that comes in time is taken.
            let patient = try await LocalServer { _ in }
            #expect(try await patient.status(post, [json, "Content-Length: 3"], body: "\"x\"") == "200")
            #expect(patient.events.elements == [3])
            #expect(server.events.elements.isEmpty)
        }

        @Test func aClientThatReadsNothingEndsItsConnectionAndFreesItsBytes() async throws {
            let size = 16 << 20
            let server = try await LocalServer(model: size) {
                $0.write = .milliseconds(300)
                $0.responseBytes = size + (1 << 20)
            }
            let slow = try await server.begin("GET /loops/main")
            // While its bytes are unread there is no room for as many more. Its answer has begun, so they are counted.
            try await eventually("its bytes are given back") { try await server.status("GET /loops/main") == "200" }
            #expect(try await onThread { slow.readToEnd().utf8.count } < size)
        }

        @Test func whileTooManyBytesAreUnreadReadersAreToldToComeAgain() async throws {
            let size = 16 << 20
            let server = try await LocalServer(model: size) { $0.responseBytes = size + (1 << 20) }
            var slow: RawConnection? = try await server.begin("GET /loops/main")
            let refused = try await server.response("GET /loops/main")
            #expect(refused.hasPrefix("HTTP/1.1 503 "))
            #expect(refused.lowercased().contains("retry-after: 1\r\n"))
            #expect(refused.contains("unread by their clients"))
            #expect(slow != nil)
            slow = nil
            try await eventually("there is room again") { try await server.status("GET /loops/main") == "200" }
        }

        @Test func whileTooManyBytesAreOnTheirWaySendersAreToldToComeAgain() async throws {
            let server = try await LocalServer { $0.bodyBytes = 100_000 }
            let event = "\"" + String(repeating: "x", count: 150_000) + "\""
            let headers = [json, "Content-Length: \(event.utf8.count)"]
            let part = String(event.prefix(140_000))
            var slow: RawConnection? = try await server.begin(post, headers, body: part, isWhole: false)
            // The server reads it at a time of its own.
            try await eventually("there is no room") { try await server.status(post, headers, body: event) == "503" }
            #expect(try await server.status(post, [json, "Content-Length: 3"], body: "\"x\"") == "200")
            slow = nil
            try await eventually("there is room again") { try await server.status(post, headers, body: event) == "200" }
            withExtendedLifetime(slow) {}
        }

        @Test func furtherStreamsAreToldToComeAgain() async throws {
            let server = try await LocalServer { $0.connections = 3 }
            var stream: RawConnection? = try await server.begin("GET /loops/main/models")
            #expect(try await server.status("GET /loops/main/models") == "503")
            #expect(stream != nil)
            stream = nil
            try await eventually("there is room again") {
                let next = try await server.begin("GET /loops/main/models")
                return String(decoding: next.read() ?? [], as: UTF8.self).hasPrefix("HTTP/1.1 200 ")
            }
        }

        @Test func clientsThatAskAndReadNothingKeepNobodyOut() async throws {
            let server = try await LocalServer(model: 40_000) {
                $0.connections = 8
                $0.write = .milliseconds(500)
            }
            // Small responses, many of them: each alone would fit into a buffer.
            let ask = "GET /loops/main HTTP/1.1\r\nHost: localhost\r\n\r\n"
            let crowd = try await onThread { [address = server.address] in
                try (0..<12).map { _ in
                    let connection = try RawConnection(address)
                    connection.write(String(repeating: ask, count: 400))
                    connection.waitForSomething()
                    return connection
                }
            }
            try await eventually("as many others find room at once, and keep it") {
                try await onThread { [address = server.address] in
                    let others = try (0..<8).map { _ in try RawConnection(address) }
                    // An idle one of them may have made room for another: those that are served again have all the room there is.
                    return others.allSatisfy(Self.isServed) && others.allSatisfy(Self.isServed)
                }
            }
            // So theirs have ended.
            let most = try await onThread { crowd.map { $0.readToEnd().utf8.count }.max() }
            #expect(most ?? 0 < 400 * 40_000)
        }

        private static func isServed(_ connection: RawConnection) -> Bool {
            connection.write("GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n")
            var text = ""
            while let bytes = connection.readSome() {
                text += String(decoding: bytes, as: UTF8.self)
                if text.contains("HTTP/1.1 200 ") { return true }
            }
            return false
        }

        @Test func aClientThatWaitsForContinueIsToldTo() async throws {
            let server = try await LocalServer { _ in }
            let connection = try await server.begin(
                post, [json, "Content-Length: 3", "Expect: 100-continue", "Connection: close"])
            let answer = String(decoding: connection.read() ?? [], as: UTF8.self)
            #expect(answer.hasPrefix("HTTP/1.1 100 "), "\(answer)")
            connection.write("\"x\"")
            #expect(try await onThread { connection.readToEnd() }.contains("HTTP/1.1 200 "))
            // What is refused is refused at once, and its body need not be sent.
            for (headers, status) in [
                ([json, "Content-Length: 2000000"], "413"), (["Content-Length: 3"], "415"),
                ([json, "Content-Length: 3", "Idempotency-Key: "], "400"),
            ] {
                let refused = try await server.response(post, headers + ["Expect: 100-continue"])
                #expect(refused.hasPrefix("HTTP/1.1 \(status) "), "\(refused)")
            }
            #expect(server.events.elements == [3])
        }
    }
#endif
