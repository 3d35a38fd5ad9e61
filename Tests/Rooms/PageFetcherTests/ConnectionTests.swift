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
                let answer = FetchAnswer(status: 200, contentType: "text/html").ofHead
                #expect(await fetcher.fetch(request) == .answered(answer))
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
                    == .answered(FetchAnswer(status: 429, retryAfter: seconds).ofHead))
        }
    }

    /// The forms of RFC 9110, 5.6.7.
    static let dateForms = [
        "EEE, dd MMM yyyy HH:mm:ss 'GMT'", "EEEE, dd-MMM-yy HH:mm:ss 'GMT'", "EEE MMM d HH:mm:ss yyyy",
    ]

    @Test("a date to come back at", arguments: dateForms)
    func retryDate(_ form: String) async throws {
        let format = DateFormatter()
        format.locale = Locale(identifier: "en_US_POSIX")
        format.timeZone = TimeZone(identifier: "GMT")
        format.dateFormat = form
        let later = Date(timeIntervalSinceNow: 100_000)
        let (past, future) = (format.string(from: Date(timeIntervalSinceNow: -9)), format.string(from: later))
        try await ScriptedServer.run { target in
            [.send(empty(503, "Retry-After: \(target.contains("past") ? past : future)\r\n"))]
        } _: { server in
            try #expect(await answer(server.address + "/past").retryAfter == 0)
            let seconds = try #require(await answer(server.address + "/later").retryAfter)
            // The second that the date names has begun when this many have passed.
            let end = Date(timeIntervalSinceNow: Double(seconds))
            #expect(end >= Date(timeIntervalSince1970: later.timeIntervalSince1970.rounded(.down)))
            #expect(seconds <= 100_001)
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
            #expect(server.requests[0].contains("Authorization: Basic \(secret)"), "\(server.requests[0])")
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
            #expect(server.requests[0].contains("Authorization: Basic YTpi"))
        }
    }
}
