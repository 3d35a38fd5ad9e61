import FleetTestSupport
import Foundation
import PageFetching
import SiteAudit
import TestTraits
import Testing

@Suite("Connections that servers close", .ownThread)
struct ConnectionTests {
    static let endings: [ScriptedServer.Step] = [.close, .reset]

    @Test("a pool full of dead connections costs no answer", arguments: endings.indices)
    func deadPool(_ ending: Int) async throws {
        // The first request of a connection is answered, each later one ends it: as when the server closes idle ones.
        try await ScriptedServer.run { _, number in
            number == 0 ? [.await(requests: 8), .send(ok("<p>"))] : [Self.endings[ending]]
        } _: { server in
            let fetcher = makeFetcher()
            for round in 0..<4 {
                let answered = await withTaskGroup(of: Bool.self) { group in
                    for number in 0..<8 {
                        group.addTask {
                            let request = FetchRequest(url: "\(server.address)/\(round)/\(number)", purpose: .page)
                            if case .answered = await fetcher.fetch(request) { return true } else { return false }
                        }
                    }
                    return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
                }
                #expect(answered == 8, "round \(round)")
            }
            await fetcher.shutdown()
            #expect(server.requests.count > 32, "some came on dead connections")
        }
    }

    @Test("a server that closes after each answer without saying so")
    func closesAfterEach() async throws {
        try await ScriptedServer.run { _ in
            [.send(ok("<p>")), .close]
        } _: { server in
            let fetcher = makeFetcher()
            for number in 0..<200 {
                let purpose: FetchRequest.Purpose = number % 2 == 0 ? .page : .check
                let request = FetchRequest(url: "\(server.address)/\(number)", purpose: purpose)
                guard case .answered(let answer) = await fetcher.fetch(request) else {
                    Issue.record("request \(number) got no answer")
                    break
                }
                #expect(answer.status == 200)
            }
            await fetcher.shutdown()
        }
    }

    @Test("HEAD that is answered with a body")
    func headWithBody() async throws {
        try await ScriptedServer.run { _ in
            [.send(ok("<p>a body where there should be none</p>\r\n\r\n"))]
        } _: { server in
            let fetcher = makeFetcher()
            for number in 0..<20 {
                let request = FetchRequest(url: "\(server.address)/\(number)", purpose: .check)
                #expect(await fetcher.fetch(request) == .answered(FetchAnswer(status: 200, contentType: "text/html")))
            }
            await fetcher.shutdown()
        }
    }

    static let heads: [[ScriptedServer.Step]] = [
        [.close], [.reset], [], [.send("garbage\r\n\r\n"), .close], [.send("HTTP/1.1 200 OK\r\nConte"), .close],
    ]

    @Test("GET is asked where HEAD gets no answer", arguments: heads.indices)
    func brokenHead(_ index: Int) async throws {
        try await ScriptedServer.run { target in
            target == "HEAD /" ? Self.heads[index] : [.send(ok("12345", type: "image/png"))]
        } _: { server in
            var limits = FetchLimits.patient
            // Of one that says nothing half the time is waited for.
            if Self.heads[index].isEmpty { limits.timeout = .seconds(16) * Patience.factor }
            let outcome = await fetch(server.address + "/", .check, limits)
            #expect(outcome == .answered(FetchAnswer(status: 200, contentType: "image/png")))
            #expect(server.targets.last == "GET /")
        }
    }

    @Test(
        "when to come back",
        arguments: [("120", 120), ("0", 0), ("99999999999999999999", .max), ("soon", nil), ("-5", nil), ("", nil)])
    func retryAfter(_ value: String, _ seconds: Int?) async throws {
        try await ScriptedServer.run { _ in
            [.send(empty(429, "Retry-After: \(value)\r\n"))]
        } _: { server in
            #expect(
                await fetch(server.address + "/", .check)
                    == .answered(FetchAnswer(status: 429, retryAfter: seconds)))
        }
    }

    @Test("a date to come back at")
    func retryDate() async throws {
        try await ScriptedServer.run { target in
            let date = target.contains("past") ? "Wed, 21 Oct 2015 07:28:00 GMT" : "Wed, 21 Oct 2065 07:28:00 GMT"
            return [.send(empty(503, "Retry-After: \(date)\r\n"))]
        } _: { server in
            for (path, range) in [("/past", 0...0), ("/later", 1_000_000...1_000_000_000)] {
                guard case .answered(let answer) = await fetch(server.address + path) else {
                    Issue.record("no answer")
                    return
                }
                #expect(range.contains(answer.retryAfter ?? -1))
            }
        }
    }
}

@Suite("User and password", .ownThread)
struct CredentialTests {
    @Test("are sent as a header, and are in no address")
    func basic() async throws {
        try await ScriptedServer.run { _ in
            [.send(ok("<a href=b.html>"))]
        } _: { server in
            let outcome = await fetch("http://us%40er:p%3Aw@127.0.0.1:\(server.port)/a.html")
            let link = FetchedLink(
                written: "b.html", url: "\(server.address)/b.html", fragment: nil, line: 1, kind: .document)
            let page = FetchedPage(links: [link], anchors: [])
            #expect(outcome == .answered(FetchAnswer(status: 200, contentType: "text/html", page: page)))
            let secret = Data("us@er:p:w".utf8).base64EncodedString()
            #expect(server.requests[0].contains("authorization: Basic \(secret)"), "\(server.requests[0])")
            #expect(server.targets == ["GET /a.html"])
        }
    }

    @Test("of the audit, and a redirect forgets those of a URL")
    func ofTheRequest() async throws {
        try await ScriptedServer.run { _ in
            [.send(empty(302, "Location: x\r\n"))]
        } _: { server in
            let fetcher = makeFetcher()
            let request = FetchRequest(url: server.address + "/", purpose: .check, credentials: "a:b")
            let answer = FetchAnswer(status: 302, location: server.address + "/x")
            #expect(await fetcher.fetch(request) == .answered(answer))
            #expect(await fetch("http://c:d@127.0.0.1:\(server.port)/") == .answered(answer))
            await fetcher.shutdown()
            #expect(server.requests[0].contains("authorization: Basic YTpi"))
        }
    }
}

@Suite("Forms that nobody asked for", .ownThread)
struct ContentCodingTests {
    /// Says that its body has a form; answers plainly only to who asks for no form, if at all.
    private func outcome(_ coding: String, _ body: [UInt8], obeys: Bool) async throws -> (FetchOutcome, Int) {
        let head = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: \(coding)\r\n"
        let whole = Array((head + "Content-Length: \(body.count)\r\n\r\n").utf8) + body
        return try await ScriptedServer.run { request, _ in
            let asksPlainly = request.text.lowercased().contains("accept-encoding: identity")
            return [obeys && asksPlainly ? .send(ok("<a href=x>")) : .send(whole)]
        } _: { server in
            (await fetch(server.address + "/"), server.requests.count)
        }
    }

    static let forms: [(coding: String, body: [UInt8])] = [
        ("br", [0x0B, 0x02, 0x80]), ("zstd", [0x28, 0xB5]), ("x-gzip", [1, 2]), ("gzip, br", [1, 2, 3]),
        ("gzip", Array("<p>".utf8)), ("deflate", [0xFF, 0xFE]),
    ]

    @Test("are asked for again without any", arguments: forms.indices)
    func again(_ index: Int) async throws {
        let (outcome, count) = try await outcome(Self.forms[index].coding, Self.forms[index].body, obeys: true)
        guard case .answered(let answer) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(answer.page?.links.count == 1)
        #expect(count == 2)
    }

    @Test("leave the status as all that is known, if nothing helps", arguments: forms.indices)
    func stubborn(_ index: Int) async throws {
        let (outcome, _) = try await outcome(Self.forms[index].coding, Self.forms[index].body, obeys: false)
        #expect(outcome == .answered(FetchAnswer(status: 200, contentType: "text/html")))
    }

    @Test("identity is none")
    func identity() async throws {
        let (outcome, count) = try await outcome("Identity", Array("<a href=y>".utf8), obeys: false)
        guard case .answered(let answer) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(answer.page?.links.count == 1)
        #expect(count == 1)
    }
}
