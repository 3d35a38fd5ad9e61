import PageFetching
import SiteAudit
import TestTraits
import Testing

@Suite("Cookies", .ownThread)
struct CookieTests {
    private static let members: @Sendable (ScriptedServer.Request, Int) -> [ScriptedServer.Step] = { request, _ in
        let isKnown = request.text.contains("Cookie: seen=1")
        return [
            .send(isKnown ? ok("<a href=inside>") : empty(302, "Set-Cookie: seen=1; Path=/\r\nLocation: /members\r\n"))
        ]
    }

    private func exchange(
        _ fetcher: Fetcher, _ url: String, _ purpose: FetchRequest.Purpose = .page, cookies: [String]? = nil
    ) async throws -> FetchAnswer {
        let outcome = await fetcher.fetch(FetchRequest(url: url, purpose: purpose, cookies: cookies))
        guard case .answered(let answer) = outcome else { throw NoAnswer(outcome: outcome) }
        return answer
    }

    @Test(
        "that an answer sets come with it, and are sent by the request that has them",
        arguments: ["page", "check", "visit"])
    func comeAndGo(_ name: String) async throws {
        let purpose = try #require(FetchRequest.Purpose(rawValue: name))
        try await ScriptedServer.run(counting: Self.members) { server in
            let fetcher = makeFetcher()
            let first = try await exchange(fetcher, server.address + "/members")
            #expect(first.status == 302)
            let cookies = try #require(first.cookies)
            #expect(cookies.count == 1 && cookies[0].hasPrefix("127.0.0.1\tFALSE\t/\tFALSE\t0\tseen\t1"))
            let second = try await exchange(fetcher, server.address + "/members", purpose, cookies: cookies)
            #expect(second.status == 200)
            #expect(second.cookies == nil, "nothing has changed")
            await fetcher.shutdown()
        }
    }

    @Test("do not go from one request to another by themselves")
    func noLeak() async throws {
        try await ScriptedServer.run(counting: Self.members) { server in
            let fetcher = makeFetcher()
            for _ in 0..<3 {
                try #expect(await exchange(fetcher, server.address + "/members").status == 302)
                _ = try await exchange(fetcher, server.address + "/robots.txt", .robots)
            }
            await fetcher.shutdown()
            #expect(server.requests.allSatisfy { $0.contains("Cookie:") == false })
            #expect(server.connections == 1)
        }
    }

    @Test("are not sent to another host, nor with robots.txt")
    func otherHost() async throws {
        try await ScriptedServer.run(counting: Self.members) { server in
            let fetcher = makeFetcher()
            let cookies = try await exchange(fetcher, server.address + "/members").cookies
            let other = "http://localhost:\(server.port)/members"
            try #expect(await exchange(fetcher, other, cookies: cookies).status == 302)
            _ = try await exchange(fetcher, server.address + "/robots.txt", .robots, cookies: cookies)
            await fetcher.shutdown()
            #expect(server.requests.allSatisfy { $0.contains("Cookie:") == false })
        }
    }

    @Test(
        "of another host, of a whole top domain, for TLS only or of the past are not kept",
        arguments: [
            "a=1; Domain=example.org", "a=1; Domain=com", "a=1; Domain=0.0.1", "__Secure-a=1", "a=1; Max-Age=0",
            "a=1; Expires=Wed, 21 Oct 2015 07:28:00 GMT",
        ])
    func refused(_ cookie: String) async throws {
        try await ScriptedServer.run { _ in
            [.send(empty(200, "Set-Cookie: \(cookie)\r\n"))]
        } _: { server in
            try #expect(await answer(server.address + "/").cookies == nil)
        }
    }

    @Test("that an answer deletes are gone")
    func deleted() async throws {
        try await ScriptedServer.run { target in
            [.send(empty(200, target == "GET /in" ? "Set-Cookie: a=1\r\n" : "Set-Cookie: a=1; Max-Age=0\r\n"))]
        } _: { server in
            let fetcher = makeFetcher()
            let cookies = try #require(try await exchange(fetcher, server.address + "/in").cookies)
            try #expect(await exchange(fetcher, server.address + "/out", cookies: cookies).cookies == [])
            await fetcher.shutdown()
        }
    }

    @Test("are at most 50 and 16 KiB")
    func bounded() async throws {
        try await ScriptedServer.run { target in
            let value = target == "GET /long" ? String(repeating: "v", count: 1_000) : "v"
            return [.send(empty(200, (0..<200).map { "Set-Cookie: c\($0)=\(value)\r\n" }.joined()))]
        } _: { server in
            let long = try #require(try await answer(server.address + "/long").cookies)
            #expect((10...16).contains(long.count))
            let many = try #require(try await answer(server.address + "/many").cookies)
            #expect((40...50).contains(many.count))
        }
    }

    @Test(
        "a line that is no cookie is no command either",
        arguments: ["ALL", "FLUSH", "Set-Cookie: a=1; Domain=127.0.0.1"])
    func commands(_ line: String) async throws {
        try await ScriptedServer.run(counting: Self.members) { server in
            let fetcher = makeFetcher()
            let known = "127.0.0.1\tFALSE\t/\tFALSE\t0\tseen\t1"
            try #expect(await exchange(fetcher, server.address + "/", cookies: [known, line]).status == 200)
            #expect(server.requests.last?.contains("a=1") == false)
            await fetcher.shutdown()
        }
    }
}
