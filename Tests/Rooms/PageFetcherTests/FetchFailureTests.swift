import FleetTestSupport
import Foundation
import PageFetching
import SiteAudit
import TestTraits
import Testing

@Suite("Servers that do not answer well", .patient, .ownThread)
struct FetchFailureTests {
    /// A request that takes this long has not ended by itself, even on a busy machine.
    static let hour: FetchLimits = {
        var limits = FetchLimits()
        limits.timeout = .seconds(3600)
        return limits
    }()

    static let longLine = "X-A: " + String(repeating: "b", count: 50_000) + "\r\n"

    static let head = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"

    static let silent: [[ScriptedServer.Step]] = [
        [],
        [.send("HTTP/1.1 200 "), .trickle("O", every: .milliseconds(20))],
        [.send("HTTP/1.1 200 OK\r\n"), .trickle("X-A: b\r\n", every: .milliseconds(20))],
        [.send(head + "\r\n"), .trickle("<p>", every: .milliseconds(20))],
        [.send(head + "Content-Length: 100\r\n\r\n<p>")],
    ]

    @Test("a server that says nothing, or too slowly, is timed out", arguments: silent.indices)
    func silence(_ index: Int) async throws {
        try await ScriptedServer.run { _ in
            Self.silent[index]
        } _: { server in
            var limits = FetchLimits()
            limits.timeout = .milliseconds(300)
            let started = ContinuousClock.now
            #expect(await fetch(server.address + "/", .page, limits) == .failed(.timedOut))
            #expect(started.duration(to: .now) < .seconds(3600), "the limit holds for the answer as a whole")
        }
    }

    @Test("a request may bring its own time limit")
    func ownLimit() async throws {
        try await ScriptedServer.run { _ in
            []
        } _: { server in
            let fetcher = makeFetcher(Self.hour)
            let started = ContinuousClock.now
            let request = FetchRequest(url: server.address + "/", purpose: .check, timeLimit: 200)
            #expect(await fetcher.fetch(request) == .failed(.timedOut))
            #expect(started.duration(to: .now) < .seconds(3600))
            await fetcher.shutdown()
        }
    }

    @Test("an answer that would come too late for whoever waits is not awaited")
    func deadline() async throws {
        try await ScriptedServer.run { target in
            target == "GET /silent" ? [] : [.send(ok("<p>"))]
        } _: { server in
            let started = ContinuousClock.now
            let end = started + .seconds(2)
            #expect(await fetch(server.address + "/silent", .page, Self.hour, by: end) == .failed(.timedOut))
            #expect(started.duration(to: .now) >= .seconds(1), "it takes the time that there is")
            #expect(started.duration(to: .now) < .seconds(3600))
            // A time that is over, and one that is longer than its own.
            #expect(await fetch(server.address + "/silent", by: started) == .failed(.timedOut))
            var limits = FetchLimits()
            limits.timeout = .milliseconds(300)
            let late = await fetch(server.address + "/silent", .page, limits, by: .now + .seconds(3600))
            #expect(late == .failed(.timedOut))
            let page = await fetch(server.address + "/page", by: .now + Patience.limit)
            #expect(
                page
                    == .answered(
                        FetchAnswer(status: 200, contentType: "text/html", page: FetchedPage(links: [], anchors: []))))
        }
    }

    static let faults: [(String, [ScriptedServer.Step], FetchFailure)] = [
        ("closes without a word", [.close], .connectionFailed),
        ("speaks another protocol", [.send("SSH-2.0-OpenSSH_9.2\r\n"), .close], .invalidAnswer),
        ("breaks off its head", [.send("HTTP/1.1 200 OK\r\nContent-"), .close], .brokenOff),
        ("breaks off its body", [.send(head + "Content-Length: 100\r\n\r\n<p>"), .close], .brokenOff),
        ("resets in its body", [.send(head + "Content-Length: 100\r\n\r\n<p>"), .reset], .brokenOff),
        (
            "breaks off between chunks", [.send(head + "Transfer-Encoding: chunked\r\n\r\n3\r\n<p>\r\n"), .close],
            .brokenOff
        ),
        ("counts chunks wrongly", [.send(head + "Transfer-Encoding: chunked\r\n\r\nzz\r\n")], .invalidAnswer),
        ("sends a head without end", [.send("HTTP/1.1 200 OK\r\n"), .trickle(longLine, every: .zero)], .invalidAnswer),
    ]

    @Test("a server that", arguments: faults.indices)
    func broken(_ index: Int) async throws {
        let (name, steps, failure) = Self.faults[index]
        try await ScriptedServer.run { _ in
            steps
        } _: { server in
            #expect(await fetch(server.address + "/") == .failed(failure), "\(name)")
        }
    }

    @Test("a compressed page is read")
    func gzip() async throws {
        let zipped = try #require(Data(base64Encoded: "H4sIAAAAAAACA7NJVMgoSk2zrcosKEhNsYNQNvqJdgARLfeFGQAAAA=="))
        try await ScriptedServer.run { _ in
            [.send(gzipped(Array(zipped)))]
        } _: { server in
            guard case .answered(let answer) = await fetch(server.address + "/") else {
                Issue.record("no answer")
                return
            }
            #expect(answer.page?.links.map(\.written) == ["zipped"])
            #expect(server.requests[0].lowercased().contains("\r\naccept-encoding: deflate, gzip"))
        }
    }

    @Test("a gzip bomb is not read")
    func gzipBomb() async throws {
        try await ScriptedServer.run { _ in
            [.send(gzipped(bomb))]
        } _: { server in
            let answer = FetchAnswer(status: 200, contentType: "text/html").unread(.tooLarge)
            #expect(await fetch(server.address + "/") == .answered(answer))
        }
    }

    @Test("a page larger than the limit is not read, one that just fits is")
    func tooLarge() async throws {
        try await ScriptedServer.run { _ in
            [.send(ok(String(repeating: "x", count: 1_000)))]
        } _: { server in
            var limits = FetchLimits()
            limits.pageBytes = 1_000
            try #expect(await answer(server.address + "/", .page, limits).page != nil)
            limits.pageBytes = 999
            let unread = FetchAnswer(status: 200, contentType: "text/html").unread(.tooLarge)
            #expect(await fetch(server.address + "/", .page, limits) == .answered(unread))
        }
    }

    @Test("a connection that was closed while it rested is opened anew")
    func stale() async throws {
        try await ScriptedServer.run { target in
            target == "GET /first" ? [.send(ok("<p>"))] : [.close]
        } _: { server in
            let fetcher = makeFetcher()
            _ = await fetcher.fetch(FetchRequest(url: server.address + "/first", purpose: .page))
            let outcome = await fetcher.fetch(FetchRequest(url: server.address + "/second", purpose: .page))
            await fetcher.shutdown()
            #expect(outcome == .failed(.connectionFailed))
            #expect(server.targets == ["GET /first", "GET /second", "GET /second"])
        }
    }

    @Test("nobody at home: at once, not after the time limit")
    func refused() async throws {
        let port = try await ScriptedServer.run { _ in
            []
        } _: {
            $0.port
        }
        let started = ContinuousClock.now
        #expect(await fetch("http://127.0.0.1:\(port)/") == .failed(.connectionFailed))
        #expect(started.duration(to: .now) < Patience.limit)
    }

    @Test("a host on no map")
    func unknownHost() async {
        #expect(await fetch("http://no-such-host.invalid/") == .failed(.hostNotFound))
    }

    @Test("TLS where there is none")
    func tls() async throws {
        try await ScriptedServer.run { _ in
            [.send(ok("<p>"))]
        } _: { server in
            #expect(await fetch("https://127.0.0.1:\(server.port)/") == .failed(.insecure))
        }
    }

    @Test(
        "an address that is not for HTTP is not asked for", arguments: ["ftp://h/", "http+unix://%2Ftmp%2Fx/", "x", ""])
    func notHTTP(_ url: String) async {
        #expect(await fetch(url) == .failed(.workerFailed))
    }

    @Test("a cancelled request ends at once")
    func cancelled() async throws {
        try await ScriptedServer.run { _ in
            []
        } _: { server in
            let task = Task { await fetch(server.address + "/", .page, Self.hour) }
            while server.requests.isEmpty { await Task.yield() }
            let started = ContinuousClock.now
            task.cancel()
            #expect(await task.value == .failed(.workerFailed))
            #expect(started.duration(to: .now) < .seconds(3600))
        }
    }
}
