import Foundation
import PageFetching
import SiteAudit
import TestTraits
import Testing

@Suite("Content codings", .ownThread)
struct ContentCodingTests {
    /// `<p><a href="gone">x</a> and more text, and more text, and more text` in each coding.
    static let plain = Array("<p><a href=\"gone\">x</a> and more text, and more text, and more text".utf8)
    static let gzip = bytes(
        "H4sIAAAAAAACA7MpsLNJVMgoSk2zVUrPz0tVsquw0U+0U0jMS1HIzS9KVShJrSjRwcsFAJQLOORDAAAA")
    static let members =
        bytes("H4sIAAAAAAACA7MpsLNJVMgoSgUA2UrNawkAAAA=")
        + bytes("H4sIAAAAAAACA0uzVUrPz0tVsquw0U+0U0jMS1HIzS9KVShJrSjRwcsFAKnQfsU6AAAA")
    static let zlib = bytes("eJyzKbCzSVTIKEpNs1VKz89LVbKrsNFPtFNIzEtRyM0vSlUoSa0o0cHLBQDpUBaw")
    static let deflate = bytes("symws0lUyChKTbNVSs/PS1Wyq7DRT7RTSMxLUcjNL0pVKEmtKNHBywUA")
    static let brotli = bytes("G0IAoI2UqeszQqU3CA8cnmLxaUEU+YQZPSLNakrAyo5g8+qNI4KAHw==")
    static let zstd = bytes("KLUv/SBDdQEAZAI8cD48YSBocmVmPSJnb25lIj54PC9hPiBhbmQgbW9yZSB0ZXh0LAEAlns+AQ==")
    static let twice = bytes(
        "H4sIAAAAAAACA5Pv5mAAASbmzZobNnuGnNDw8t0c6nX+vHfoptUbLvpvCfY44x144qy+V6iG51qNiwdPszJM4bZ44gzUAwANcGuhPAAAAA==")

    private static func bytes(_ base64: String) -> [UInt8] { Array(Data(base64Encoded: base64) ?? Data()) }

    static func page(_ coding: String, _ body: [UInt8]) -> [UInt8] {
        let head = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: \(coding)\r\n"
        return Array((head + "Content-Length: \(body.count)\r\n\r\n").utf8) + body
    }

    static let readAtOnce: [(coding: String, body: [UInt8])] = [
        ("gzip", gzip), ("x-gzip", gzip), ("GZIP", gzip), (" gzip ", gzip), ("gzip, identity", gzip), ("deflate", zlib),
        ("deflate", deflate), ("br", brotli), ("zstd", zstd), ("gzip, gzip", twice), ("Identity", plain),
        ("none", plain), ("", plain),
    ]

    @Test("are undone in one request", arguments: readAtOnce.indices)
    func atOnce(_ index: Int) async throws {
        let (coding, body) = Self.readAtOnce[index]
        try await ScriptedServer.run { _ in
            [.send(Self.page(coding, body))]
        } _: { server in
            try #expect(await answer(server.address + "/").links == [server.address + "/gone"])
            #expect(server.requests.count == 1)
        }
    }

    @Test("are undone in chunks, too")
    func chunks() async throws {
        let head =
            "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n"
        let chunks = Self.gzip.flatMap { Array("1\r\n".utf8) + [$0] + Array("\r\n".utf8) }
        try await ScriptedServer.run { _ in
            [.send(Array(head.utf8) + chunks + Array("0\r\n\r\n".utf8))]
        } _: { server in
            try #expect(await answer(server.address + "/").links == [server.address + "/gone"])
            #expect(server.requests.count == 1)
        }
    }

    static let readAtLast: [(coding: String, body: [UInt8])] = [
        ("utf-8", plain), ("binary", plain), ("8bit", plain), ("x-deflate", zlib), ("x-deflate", deflate),
        ("gzip", members), ("gzip", gzip + [UInt8](repeating: 0, count: 16)), ("gzip", plain), ("deflate", plain),
        ("br", plain), ("gzip, utf-8", gzip), ("utf-8, x-gzip", members),
    ]

    @Test("that are none, that lie or that end early are read all the same", arguments: readAtLast.indices)
    func atLast(_ index: Int) async throws {
        let (coding, body) = Self.readAtLast[index]
        try await ScriptedServer.run { _ in
            [.send(Self.page(coding, body))]
        } _: { server in
            try #expect(await answer(server.address + "/").links == [server.address + "/gone"])
            #expect(server.requests.count == 2)
        }
    }

    static let unreadable: [(coding: String, body: [UInt8])] = [
        ("br", [0x0B, 0x02, 0x80]), ("zstd", [0x28, 0xB5, 0]), ("x-gzip", [1, 2]), ("gzip, br", [1, 2, 3]),
        ("deflate", [0xFF, 0xFE, 0]), ("compress", [0x1F, 0x9D, 0x90]),
    ]

    @Test("that cannot be read are asked for again without any", arguments: unreadable.indices)
    func again(_ index: Int) async throws {
        let (coding, body) = Self.unreadable[index]
        try await ScriptedServer.run { request, _ in
            let asksPlainly = request.text.lowercased().contains("accept-encoding: identity")
            return [asksPlainly ? .send(ok("<a href=x>")) : .send(Self.page(coding, body))]
        } _: { server in
            try #expect(await answer(server.address + "/").links == [server.address + "/x"])
            #expect(server.requests.count == 2)
        }
    }

    @Test("leave the page unread, if nothing helps", arguments: unreadable.indices)
    func stubborn(_ index: Int) async throws {
        let (coding, body) = Self.unreadable[index]
        try await ScriptedServer.run { _ in
            [.send(Self.page(coding, body))]
        } _: { server in
            let unread = FetchAnswer(status: 200, contentType: "text/html").unread(.coding)
            #expect(await fetch(server.address + "/") == .answered(unread))
        }
    }

    @Test("a bomb in several gzip members is not read")
    func bombs() async throws {
        try await ScriptedServer.run { _ in
            [.send(gzipped(Self.gzip + bomb))]
        } _: { server in
            try #expect(await answer(server.address + "/").unread == .tooLarge)
        }
    }

    @Test("robots.txt is read in any of them")
    func robots() async throws {
        let text = String(decoding: Self.plain, as: UTF8.self)
        try await ScriptedServer.run { target in
            [.send(target.hasSuffix("a") ? Self.page("gzip", Self.gzip) : Self.page("utf-8", Self.plain))]
        } _: { server in
            try #expect(await answer(server.address + "/a", .robots).text == text)
            try #expect(await answer(server.address + "/b", .robots).text == text)
        }
    }
}
