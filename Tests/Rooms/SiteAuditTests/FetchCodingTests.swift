import Foundation
import SiteAudit
import Testing

@Suite("A fetched page on its way")
struct FetchCodingTests {
    private func travelled(_ page: FetchedPage) throws -> FetchedPage {
        try JSONDecoder().decode(FetchedPage.self, from: JSONEncoder().encode(page))
    }

    private static let texts = [
        "", "a", "b c", "50%", "%25", "tab\tline\nend\r", "é—𝄞", "+x", "=", "!", "\u{0}", " ", "a%20b",
    ]

    @Test func linksArriveAsTheyWere() throws {
        var links: [FetchedLink] = []
        for kind in FetchedLink.Kind.allCases {
            for text in Self.texts {
                links.append(
                    FetchedLink(written: "", url: "http://h/d/p%20q", fragment: text, line: links.count, kind: kind))
                links.append(FetchedLink(written: text, url: nil, fragment: nil, line: 70_000, kind: kind))
                links.append(FetchedLink(written: "", url: "https://other/", fragment: nil, line: 1, kind: kind))
            }
        }
        let page = FetchedPage(links: links, anchors: Self.texts.filter { !$0.isEmpty })
        #expect(try travelled(page) == page)
        #expect(try travelled(FetchedPage(links: [], anchors: [])) == FetchedPage(links: [], anchors: []))
    }

    /// Only a faulty worker reports these; the model that keeps one must come back from the journal.
    @Test(arguments: ["", "http://h/a b", "http://h/\nb", " ", "%", "http://h/%20 ", "e\u{301}/x", "\u{e9}/x"])
    func anyURLComesBack(_ url: String) throws {
        let links = ["e\u{301}/", url].map {
            FetchedLink(written: "", url: $0, fragment: nil, line: 1, kind: .image)
        }
        let arrived = try travelled(FetchedPage(links: links, anchors: [])).links
        #expect(arrived.map { $0.url.map { Array($0.utf8) } } == links.map { $0.url.map { Array($0.utf8) } })
    }

    @Test func whatTheAuthorWroteStaysBehindWhereTheURLIsKnown() throws {
        let link = FetchedLink(written: "../x", url: "http://h/x", fragment: nil, line: 3, kind: .image)
        let arrived = try travelled(FetchedPage(links: [link], anchors: [])).links
        #expect(arrived == [FetchedLink(written: "", url: "http://h/x", fragment: nil, line: 3, kind: .image)])
    }

    @Test(arguments: ["x", "1 d", "1 d ?a", "a d +b", "1 dd +b", "1 q +b", "1 d +b f g"])
    func aLineThatIsNoLinkIsAnError(_ line: String) {
        let json = #"{"base": "", "links": "\#(line)", "anchors": ""}"#
        #expect(throws: DecodingError.self) { try JSONDecoder().decode(FetchedPage.self, from: Data(json.utf8)) }
    }

    @Test func aPageOfManyLinksIsSmall() throws {
        let links = (0..<10_000).map { number in
            FetchedLink(
                written: "library/page\(number).html", url: "http://127.0.0.1:8080/library/page\(number).html",
                fragment: "anchor\(number)", line: number, kind: .document)
        }
        let bytes = try JSONEncoder().encode(FetchedPage(links: links, anchors: []))
        #expect(bytes.count < 10_000 * 45)
    }
}
