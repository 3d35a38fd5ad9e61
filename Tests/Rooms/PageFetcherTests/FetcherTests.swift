import Foundation
import Logging
import PageFetching
import SiteAudit
import TestTraits
import Testing

@Suite("Fetching", .ownThread)
struct FetcherTests {
    @Test("a page comes with its links, in one GET that says who asks and keeps the fragment to itself")
    func page() async throws {
        try await ScriptedServer.run { _ in
            [.send(ok("<a href=b.html#c>", type: "Text/HTML; charset=utf-8"))]
        } _: { server in
            let outcome = await fetch("\(server.address)/d/a.html?q=%20#frag")
            let link = FetchedLink(
                written: "b.html#c", url: "\(server.address)/d/b.html", fragment: "c", line: 1, kind: .document)
            #expect(
                outcome
                    == .answered(
                        FetchAnswer(
                            status: 200, contentType: "text/html", page: FetchedPage(links: [link], anchors: []))))
            #expect(server.targets == ["GET /d/a.html?q=%20"])
            #expect(server.requests[0].lowercased().contains("\r\nuser-agent: site-audit/1 (+mobius fleet)"))
        }
    }

    @Test("a redirect is an answer with an absolute address", arguments: [301, 302, 303, 307, 308])
    func redirect(_ status: Int) async throws {
        try await ScriptedServer.run { _ in
            [.send(empty(status, "Location: ../x y#f\r\n"))]
        } _: { server in
            let outcome = await fetch("\(server.address)/a/b/c")
            #expect(outcome == .answered(FetchAnswer(status: status, location: "\(server.address)/a/x%20y#f")))
            #expect(server.targets == ["GET /a/b/c"], "it is not followed")
        }
    }

    @Test(
        "the bytes of Location go out as they came in, escaped",
        arguments: [
            ("/caf\u{E9}/\u{FC}", String.Encoding.utf8, "/caf%C3%A9/%C3%BC"), ("/caf\u{E9}", .isoLatin1, "/caf%E9"),
            ("/with space/x", .utf8, "/with%20space/x"), ("   sub/page \t", .utf8, "/sub/page"),
            ("//127.0.0.1:9/x", .utf8, "http://127.0.0.1:9/x"),
        ])
    func locationBytes(_ location: String, _ encoding: String.Encoding, _ target: String) async throws {
        let value = try #require(location.data(using: encoding))
        let answer =
            Array("HTTP/1.1 302 Found\r\nContent-Length: 0\r\nLocation: ".utf8) + value + Array("\r\n\r\n".utf8)
        try await ScriptedServer.run { _ in
            [.send(answer)]
        } _: { server in
            let location = target.hasPrefix("/") ? server.address + target : target
            #expect(await fetch(server.address + "/") == .answered(FetchAnswer(status: 302, location: location)))
        }
    }

    @Test(
        "an address is asked for as it is linked", arguments: ["/tag/%c3%bc", "/%7Eme/?x=%2d1", "/a/../b/./c", "/a//b"])
    func asLinked(_ path: String) async throws {
        try await ScriptedServer.run { _ in
            [.send(ok("<p>"))]
        } _: { server in
            try #expect(await answer(server.address + path).status == 200)
            try #expect(await answer("http://u:p@127.0.0.1:\(server.port)" + path).status == 200)
            #expect(server.targets == ["GET \(path)", "GET \(path)"])
        }
    }

    @Test(
        "no redirect: without a useful Location, or with a status that is none",
        arguments: [
            (302, ""), (301, "Location: mailto:a@b\r\n"), (301, "Location: http://[x/\r\n"), (300, "Location: /x\r\n"),
            (304, "Location: /x\r\n"), (201, "Location: /x\r\n"), (305, "Location: /x\r\n"),
        ])
    func noRedirect(_ status: Int, _ header: String) async throws {
        try await ScriptedServer.run { _ in
            [.send(empty(status, header))]
        } _: { server in
            #expect(await fetch(server.address + "/") == .answered(FetchAnswer(status: status)))
        }
    }

    @Test("204, and an early 103 before the answer")
    func small() async throws {
        try await ScriptedServer.run { target in
            target == "GET /204"
                ? [.send("HTTP/1.1 204 No Content\r\n\r\n")]
                : [.send("HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n" + ok("<p>"))]
        } _: { server in
            #expect(await fetch("\(server.address)/204") == .answered(FetchAnswer(status: 204)))
            let page = FetchedPage(links: [], anchors: [])
            #expect(
                await fetch("\(server.address)/")
                    == .answered(FetchAnswer(status: 200, contentType: "text/html", page: page)))
        }
    }

    @Test("an error page is not read for links")
    func errorPage() async throws {
        try await ScriptedServer.run { _ in
            [.send(ok("<a href=x>").replacing("200 OK", with: "404 Not Found"))]
        } _: { server in
            #expect(await fetch(server.address + "/") == .answered(FetchAnswer(status: 404, contentType: "text/html")))
        }
    }

    @Test("a body that nobody wants is not waited for", arguments: [FetchRequest.Purpose.page, .check])
    func unwanted(_ purpose: FetchRequest.Purpose) async throws {
        let head = "HTTP/1.1 200 OK\r\nContent-Type: video/webm\r\nContent-Length: 1000000000\r\n\r\n"
        try await ScriptedServer.run { _ in
            [.send(head)]
        } _: { server in
            let answer = FetchAnswer(status: 200, contentType: "video/webm")
            #expect(await fetch(server.address + "/", purpose) == .answered(purpose == .check ? answer.ofHead : answer))
        }
    }

    @Test("answers with short bodies, wanted or not, keep their connection")
    func reuse() async throws {
        try await ScriptedServer.run { target in
            [
                .send(
                    target.hasPrefix("HEAD")
                        ? ok("", length: 5) : target == "GET /image" ? ok("12345", type: "image/png") : ok("<p>"))
            ]
        } _: { server in
            let fetcher = makeFetcher()
            for path in ["/page", "/image", "/other"] {
                _ = await fetcher.fetch(FetchRequest(url: server.address + path, purpose: .page))
            }
            _ = await fetcher.fetch(FetchRequest(url: server.address + "/head", purpose: .check))
            await fetcher.shutdown()
            #expect(server.targets == ["GET /page", "GET /image", "GET /other", "HEAD /head"])
            #expect(server.connections == 1)
        }
    }

    @Test("forty requests at once reach one host together")
    func concurrency() async throws {
        try await ScriptedServer.run { _ in
            [.await(requests: 40), .send(ok("<p>"))]
        } _: { server in
            let fetcher = makeFetcher()
            let answered = await withTaskGroup(of: Bool.self) { group in
                for number in 0..<40 {
                    group.addTask {
                        let outcome = await fetcher.fetch(
                            FetchRequest(url: "\(server.address)/\(number)", purpose: .page))
                        if case .answered = outcome { return true } else { return false }
                    }
                }
                return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
            }
            await fetcher.shutdown()
            #expect(answered == 40)
        }
    }
}

@Suite("Checking without reading", .ownThread)
struct CheckTests {
    @Test("HEAD is enough, also for an error that HEAD is believed about", arguments: [200, 204, 299, 410, 429])
    func head(_ status: Int) async throws {
        try await ScriptedServer.run { _ in
            [.send(empty(status))]
        } _: { server in
            #expect(await fetch(server.address + "/", .check) == .answered(FetchAnswer(status: status).ofHead))
            #expect(server.targets == ["HEAD /"])
        }
    }

    @Test(
        "GET follows where HEAD is refused, and its answer counts",
        arguments: [301, 302, 307, 400, 401, 403, 404, 405, 500, 501, 503])
    func fallback(_ status: Int) async throws {
        try await ScriptedServer.run { target in
            [.send(target == "HEAD /" ? empty(status) : ok("12345", type: "image/png"))]
        } _: { server in
            let outcome = await fetch(server.address + "/", .check)
            #expect(outcome == .answered(FetchAnswer(status: 200, contentType: "image/png")))
            #expect(server.targets == ["HEAD /", "GET /"])
        }
    }

    @Test("HEAD that is redirected where GET is not, and the reverse")
    func redirectOfHead() async throws {
        try await ScriptedServer.run { target in
            ["HEAD /a", "GET /b"].contains(target) ? [.send(empty(302, "Location: /x\r\n"))] : [.send(empty(200))]
        } _: { server in
            #expect(await fetch(server.address + "/a", .check) == .answered(FetchAnswer(status: 200)))
            #expect(await fetch(server.address + "/b", .check) == .answered(FetchAnswer(status: 200).ofHead))
        }
    }

    @Test("HEAD of something compressed has no body to inflate")
    func compressed() async throws {
        try await ScriptedServer.run { _ in
            [.send(empty(200, "Content-Encoding: gzip\r\n"))]
        } _: { server in
            #expect(await fetch(server.address + "/", .check) == .answered(FetchAnswer(status: 200).ofHead))
        }
    }
}

@Suite("robots.txt", .ownThread)
struct RobotsTests {
    @Test("comes as text")
    func text() async throws {
        try await ScriptedServer.run { _ in
            [.send(ok("User-agent: *\n", type: "text/plain"))]
        } _: { server in
            let answer = FetchAnswer(status: 200, contentType: "text/plain", text: "User-agent: *\n")
            #expect(await fetch(server.address + "/robots.txt", .robots) == .answered(answer))
        }
    }

    @Test("is cut at the limit, without waiting for the rest")
    func long() async throws {
        let head = "HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n"
        try await ScriptedServer.run { _ in
            [.send(head + String(repeating: "#", count: 2_000))]
        } _: { server in
            var limits = FetchLimits()
            limits.robotsBytes = 1_000
            let answer = FetchAnswer(
                status: 200, contentType: "text/plain", text: String(repeating: "#", count: 1_000))
            #expect(await fetch(server.address + "/robots.txt", .robots, limits) == .answered(answer))
        }
    }

    @Test("that is not there has no text")
    func missing() async throws {
        try await ScriptedServer.run { _ in
            [.send(empty(404))]
        } _: { server in
            #expect(await fetch(server.address + "/robots.txt", .robots) == .answered(FetchAnswer(status: 404)))
        }
    }
}
