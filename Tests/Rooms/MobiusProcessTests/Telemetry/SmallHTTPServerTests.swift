import FleetTestSupport
import MobiusProcess
import TestTraits
import Testing

/// The server of probes and of the sample site, over real connections.
@Suite("A small HTTP server", .ownThread)
struct SmallHTTPServerTests {
    /// Runs `body` with a server whose answer names what it was asked for.
    private func serving(
        connections: Int = 8, closes: Bool = false, patience: Duration = .seconds(3_600),
        _ handler: @escaping SmallHTTPServer.Handler = { .now(.init(200, "\($0.method) \($0.path) of \($0.host)\n")) },
        _ body: (_ connect: () throws -> RawConnection) async throws -> Void
    ) async throws {
        var limits = SmallHTTPServer.Limits(connections: connections, closesAfterAnswer: closes)
        limits.patience = patience
        let server = try SmallHTTPServer(host: "127.0.0.1", port: 0, limits, handler)
        do {
            try await body { try RawConnection("127.0.0.1:\(server.port)") }
        } catch {
            await server.stop()
            throw error
        }
        await server.stop()
    }

    private func answer(_ connection: RawConnection, _ request: String) -> String {
        connection.write(request)
        return connection.readToEnd()
    }

    @Test func aRequestIsAnswered() async throws {
        try await serving(closes: true) { connect in
            let text = answer(try connect(), "GET /a?b=c HTTP/1.1\r\nHost: here\r\n\r\n")
            #expect(text.hasPrefix("HTTP/1.1 200 OK\r\n"))
            #expect(text.contains("\r\nContent-Length: 15\r\n"))
            #expect(text.hasSuffix("Connection: close\r\n\r\nGET /a of here\n"))
        }
    }

    @Test func anAnswerToHEADHasNoBody() async throws {
        try await serving(closes: true) { connect in
            let text = answer(try connect(), "HEAD /a HTTP/1.1\r\n\r\n")
            #expect(text.contains("\r\nContent-Length: 12\r\n") && text.hasSuffix("\r\n\r\n"))
        }
    }

    @Test func requestsOfOneConnectionAreAnsweredInTurn() async throws {
        try await serving { connect in
            let text = answer(
                try connect(),
                "GET /1 HTTP/1.1\r\n\r\nGET /2 HTTP/1.1\r\nConnection: close\r\n\r\nGET /3 HTTP/1.1\r\n\r\n")
            #expect(text.contains("GET /1 of") && text.contains("GET /2 of") && !text.contains("GET /3 of"))
        }
    }

    @Test(arguments: [
        ("hello\r\n\r\n", "400"), ("GET  HTTP/1.1\r\n\r\n", "400"), ("GET http://a/ HTTP/1.1\r\n\r\n", "400"),
        ("GET / SPDY/9\r\n\r\n", "400"), ("GET /" + String(repeating: "a", count: 20_000), "431"),
    ])
    func whatIsNoRequestIsRefused(_ request: String, _ status: String) async throws {
        try await serving { connect in
            let text = answer(try connect(), request)
            #expect(text.hasPrefix("HTTP/1.1 \(status) "))
        }
    }

    @Test func aBodyEndsItsConnection() async throws {
        try await serving { connect in
            let text = answer(try connect(), "POST / HTTP/1.1\r\nContent-Length: 3\r\n\r\nGET /2 HTTP/1.1\r\n\r\n")
            #expect(text.contains("POST / of") && !text.contains("GET /2"))
        }
    }

    @Test func idleConnectionsKeepNobodyOut() async throws {
        try await serving(connections: 2) { connect in
            let idle = [try connect(), try connect()]
            // A connection counts once it has been accepted, and its first answer shows that.
            for connection in idle {
                connection.write("GET /idle HTTP/1.1\r\n\r\n")
                _ = connection.readSome()
            }
            let text = answer(try connect(), "GET /new HTTP/1.1\r\nConnection: close\r\n\r\n")
            #expect(text.contains("GET /new of"))
            #expect(idle[0].readSome() == nil, "the one that was idle longest is closed")
        }
    }

    @Test func aRequestThatNeverEndsLosesItsConnection() async throws {
        try await serving(patience: .milliseconds(1)) { connect in
            let connection = try connect()
            connection.write("GET / HTT")
            #expect(connection.readToEnd() == "")
        }
    }

    @Test func aLargeAnswerArrivesWhole() async throws {
        let body = [UInt8](repeating: UInt8(ascii: "x"), count: 8 << 20)
        try await serving(closes: true, { _ in .now(.init(200, body)) }) { connect in
            let text = answer(try connect(), "GET / HTTP/1.1\r\n\r\n")
            #expect(text.utf8.count > body.count)
        }
    }

    @Test func aSlowAnswerHoldsUpNoOther() async throws {
        let (gate, open) = AsyncStream.makeStream(of: Void.self)
        try await serving({ request in
            .later {
                if request.path == "/slow" { for await _ in gate { break } }
                return .init(200, "\(request.path)\n")
            }
        }) { connect in
            let slow = try connect()
            slow.write("GET /slow HTTP/1.1\r\nConnection: close\r\n\r\n")
            let fast = answer(try connect(), "GET /fast HTTP/1.1\r\nConnection: close\r\n\r\n")
            #expect(fast.contains("/fast"))
            open.yield()
            #expect(slow.readToEnd().contains("/slow"))
        }
    }

    @Test func slowReadersKeepNobodyOut() async throws {
        let body = [UInt8](repeating: UInt8(ascii: "x"), count: 8 << 20)
        try await serving(connections: 2, { .now($0.path == "/large" ? .init(200, body) : .init(200, "here\n")) }) {
            connect in
            let slow = [try connect(), try connect()]
            for connection in slow {
                connection.write("GET /large HTTP/1.1\r\n\r\n")
                _ = connection.readSome(100)
            }
            let text = answer(try connect(), "GET /small HTTP/1.1\r\nConnection: close\r\n\r\n")
            #expect(text.hasSuffix("here\n"))
            withExtendedLifetime(slow) {}
        }
    }

    @Test func anAnswerArrivesAlthoughMuchIsUnread() async throws {
        try await serving { connect in
            let text = answer(
                try connect(), "POST / HTTP/1.1\r\nContent-Length: 9\r\n\r\n" + String(repeating: "a", count: 60_000))
            #expect(text.contains("POST / of"))
        }
    }

    @Test func aPortThatIsTakenIsAnError() async throws {
        let limits = SmallHTTPServer.Limits(connections: 1, closesAfterAnswer: true)
        let server = try SmallHTTPServer(host: "127.0.0.1", port: 0, limits) { _ in .now(.init(200, "")) }
        #expect(throws: SocketError.self) {
            try SmallHTTPServer(host: "127.0.0.1", port: server.port, limits) { _ in .now(.init(200, "")) }
        }
        await server.stop()
        // Again is no harm, and the port is free.
        await server.stop()
        let next = try SmallHTTPServer(host: "127.0.0.1", port: server.port, limits) { _ in .now(.init(200, "")) }
        await next.stop()
    }
}
