import PageFetching
import SiteAudit
import TestTraits
import Testing

@Suite("Visits", .ownThread)
struct VisitTests {
    @Test("follow redirects with the cookies that they set, and read the page at the end where it is")
    func cookies() async throws {
        try await ScriptedServer.run { request, _ in
            let isKnown = request.text.contains("Cookie: gate=1")
            return switch request.target {
            case "GET /shop/": [.send(isKnown ? ok("<a href=x>") : empty(302, "Location: ../gate#top\r\n"))]
            case "GET /gate": [.send(empty(307, "Set-Cookie: gate=1; Path=/\r\nLocation: /shop/#x\r\n"))]
            default: [.send(empty(301, "Location: shop/\r\n"))]
            }
        } _: { server in
            let answer = try await answer(server.address + "/", .visit)
            #expect(answer.status == 200)
            #expect(answer.location == server.address + "/shop/#x")
            #expect(answer.links == [server.address + "/shop/x"])
            #expect(answer.cookies?.count == 1)
            #expect(server.targets == ["GET /", "GET /shop/", "GET /gate", "GET /shop/"])
        }
    }

    @Test("without a redirect have no location")
    func direct() async throws {
        try await ScriptedServer.run { _ in
            [.send(ok("<a href=x>"))]
        } _: { server in
            let answer = try await answer(server.address + "/d/", .visit)
            #expect(answer.location == nil)
            #expect(answer.links == [server.address + "/d/x"])
        }
    }

    @Test("that come back to where they began have no location")
    func back() async throws {
        try await ScriptedServer.run(counting: { request, _ in
            let isKnown = request.text.contains("Cookie: seen=1")
            return [.send(isKnown ? ok("<a href=x>") : empty(302, "Set-Cookie: seen=1\r\nLocation: /\r\n"))]
        }) { server in
            let answer = try await answer(server.address + "/", .visit)
            #expect(answer.location == nil)
            #expect(answer.links == [server.address + "/x"])
            #expect(answer.cookies?.count == 1)
        }
    }

    @Test("end after ten redirects with the last")
    func endless() async throws {
        try await ScriptedServer.run { target in
            [.send(empty(302, "Location: \(target.dropFirst(4))x\r\n"))]
        } _: { server in
            let answer = try await answer(server.address + "/", .visit)
            #expect(answer.status == 302)
            #expect(answer.location == server.address + "/" + String(repeating: "x", count: 11))
            #expect(server.requests.count == 11)
        }
    }

    @Test("do not follow to what is not for HTTP", arguments: ["mailto:a@b", "ftp://127.0.0.1/", "file:///etc/passwd"])
    func notHTTP(_ location: String) async throws {
        try await ScriptedServer.run { _ in
            [.send(empty(302, "Location: \(location)\r\n"))]
        } _: { server in
            #expect(await fetch(server.address + "/", .visit) == .answered(FetchAnswer(status: 302)))
        }
    }

    @Test("take user and password to their server only")
    func credentials() async throws {
        try await ScriptedServer.run { _ in
            [.send(ok("<p>"))]
        } _: { other in
            try await ScriptedServer.run { target in
                [.send(empty(302, "Location: \(target == "GET /" ? "/a" : other.address + "/b")\r\n"))]
            } _: { server in
                let fetcher = makeFetcher()
                let request = FetchRequest(url: server.address + "/", purpose: .visit, credentials: "a:b")
                guard case .answered(let answer) = await fetcher.fetch(request) else {
                    Issue.record("no answer")
                    return
                }
                #expect(answer.status == 200)
                await fetcher.shutdown()
                #expect(server.requests.map { $0.contains("Authorization: Basic YTpi") } == [true, true])
                #expect(other.requests.map { $0.contains("Authorization") } == [false])
            }
        }
    }
}
