import Foundation
import PageFetching
import SiteAudit
import Testing

@Suite("The sample site")
struct SampleSiteTests {
    private struct Expected: Decodable {
        struct Row: Decodable {
            var page: String
            var link: String
            var line: Int
        }
        var broken: [Row]
        var brokenExternal: [Row]
        var redirects: [Row]
    }

    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../../Deploy/sample-site").standardizedFileURL

    @Test("each row of expected.json is a link that stands on that line of that page")
    func truth() throws {
        let data = try Data(contentsOf: Self.folder.appending(path: "expected.json"))
        let expected = try JSONDecoder().decode(Expected.self, from: data)
        let rows = expected.broken + expected.brokenExternal + expected.redirects
        #expect(rows.count >= 40)
        for row in rows {
            let found = try links(of: row.page).filter { $0.line == row.line }.map(text)
            let link = row.link.replacing("{{site}}", with: "http://site").replacing("{{port}}", with: "80")
            // An address stays as it is written, escapes in lower case included.
            let same = link.replacing("localhost:80", with: "localhost").lowercased()
            #expect(found.contains { $0.lowercased() == same }, "\(row)")
        }
    }

    @Test("the pages whose defects are not to be found have them")
    func hidden() throws {
        let roster = try links(of: "{{site}}/private/roster.html").map(text)
        #expect(roster == ["http://site/private/nobody-finds-this.html"])
    }

    private func text(_ link: FetchedLink) -> String {
        (link.url ?? link.written) + (link.fragment.map { "#" + $0 } ?? "")
    }

    private func links(of page: String) throws -> [FetchedLink] {
        let path = page.replacing("{{site}}", with: "")
        let file = (path.removingPercentEncoding ?? path) + (path.hasSuffix("/") ? "index.html" : "")
        let html = String(
            decoding: try Data(contentsOf: Self.folder.appending(path: String(file.dropFirst()))), as: UTF8.self
        )
        .replacing("127.0.0.1:{{port}}", with: "site").replacing("{{port}}", with: "80")
        return Array(html.utf8).withUnsafeBytes { PageExtractor.page($0, charset: nil, url: "http://site\(path)") }
            .links
    }
}
