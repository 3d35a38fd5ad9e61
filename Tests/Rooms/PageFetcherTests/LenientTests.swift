import PageFetching
import SiteAudit
import TestTraits
import Testing

@Suite("Answers that browsers and curl read", .ownThread)
struct LenientTests {
    private static let body = "<!doctype html><a href=gone>x</a>"
    private static let type = "Content-Type: text/html\r\n"
    private static let length = "Content-Length: \(body.utf8.count)\r\n"
    private static let chunks = "\(String(body.utf8.count, radix: 16));a=b\r\n\(body)\r\n0\r\nX-Sum: 1\r\n\r\n"
    private static let long = String(repeating: "a", count: 90_000)

    static let answers: [String] = [
        "HTTP/1.1 200 OK\nContent-Type: text/html\nContent-Length: \(body.utf8.count)\n\n\(body)",
        "HTTP/1.1 200\r\n\(type)\(length)\r\n\(body)",
        "HTTP/1.1 200 \r\n\(type)\(length)\r\n\(body)",
        "HTTP/1.1 200 OK\r\nX-Long: a\r\n  b\r\n\(type)\(length)\r\n\(body)",
        "HTTP/1.1 200 OK\r\nContent-Type: text/html;\r\n\tcharset=utf-8\r\n\(length)\r\n\(body)",
        "HTTP/1.1 200 OK\r\nX-Bad : 1\r\nContent-Type : text/html\r\n\(length)\r\n\(body)",
        "HTTP/1.1 200 OK\r\n\(length)\(type)\(length)\r\n\(body)",
        "HTTP/1.1 200 OK\r\n\(type)Content-Length: 3\r\nTransfer-Encoding: Chunked\r\n\r\n\(chunks)",
        "HTTP/1.1 200 OK\r\n\(type)Transfer-Encoding: chunked\r\nTrailer: X-Sum\r\n\r\n\(chunks)",
        "HTTP/1.0 200 OK\r\n\(type)\r\n\(body)",
        "HTTP/1.0 200 OK\r\n\r\n\(body)",
        "HTTP/1.1 200 OK\r\nX-Name: caf\u{E9}\r\nX(Bad): 1\r\nX-Control: a\u{1}b\r\n\(type)\(length)\r\n\(body)",
        "HTTP/1.1 200 OK\r\nContent-Security-Policy: \(long)\r\n\(type)\(length)\r\n\(body)",
        "HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 103 Early Hints\r\n\(length)\r\nHTTP/1.1 299 Fine\r\n\(type)\(length)\r\n\(body)",
        "HTTP/1.1 200 OK\r\nContent-Type:\ttext/html\t\r\n\(length)\r\n\(body)",
        "HTTP/2.0 200 OK\r\n\(type)\(length)\r\n\(body)",
        "HTTP/1.1 200 OK\r\n\(type)Transfer-Encoding: identity\r\n\(length)\r\n\(body)",
        "HTTP/1.1 200 OK\r\n\(type)\((0..<400).map { "Set-Cookie: c\($0)=\(long.prefix(200))\r\n" }.joined())\(length)\r\n\(body)",
    ]

    @Test("are read", arguments: answers.indices)
    func read(_ index: Int) async throws {
        try await ScriptedServer.run { _ in
            [.send(Self.answers[index]), .close]
        } _: { server in
            let answer = try await answer(server.address + "/")
            #expect(answer.links == [server.address + "/gone"])
            #expect(answer.contentType == "text/html")
        }
    }

    @Test(
        "as HTML, if they say so or say nothing",
        arguments: [
            "", "Content-Type: text/html;;charset=UTF-8\r\n", "Content-Type: TEXT/HTML; Charset=\"utf-8\"\r\n",
            "Content-Type: text/html, text/html\r\n", "Content-Type: */*\r\n", "Content-Type: html\r\n",
            "Content-Type: application/unknown\r\n", "Content-Type: text/plain\r\nContent-Type: text/html\r\n",
        ])
    func type(_ header: String) async throws {
        try await ScriptedServer.run { _ in
            [.send("HTTP/1.1 200 OK\r\n\(header)\(Self.length)\r\n\(Self.body)")]
        } _: { server in
            let answer = try await answer(server.address + "/")
            #expect(answer.links == [server.address + "/gone"])
            #expect(answer.contentType == "text/html")
        }
    }

    @Test("without a type, and of another than HTML, are read no further than needed to know that")
    func otherType() async throws {
        let head = "HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\n\r\n"
        try await ScriptedServer.run { _ in
            [.send(head + String(repeating: "text ", count: 400))]
        } _: { server in
            let answer = FetchAnswer(status: 200, contentType: "text/plain")
            #expect(await fetch(server.address + "/") == .answered(answer))
        }
    }
}
