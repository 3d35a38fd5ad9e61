import Foundation
import MobiusCore
import PageFetching
import SiteAudit
import Testing

@Suite("Pages larger than an event may be")
struct LargePageTests {
    private static let request = FetchRequest(url: "http://site/", purpose: .page)

    private func answer(links: Int, anchors: Int) -> FetchAnswer {
        let page = FetchedPage(
            links: (0..<links).map {
                FetchedLink(
                    written: "", url: "http://site/\($0)/\"\\é", fragment: $0 % 3 == 0 ? "a b\n%" : nil, line: $0,
                    kind: .document)
            }, anchors: (0..<anchors).map { "anchor \($0) \u{1}\"" })
        return FetchAnswer(status: 200, contentType: "text/html", page: page)
    }

    @Test("travel in parts of bounded size, of which nothing is missing")
    func parts() throws {
        let answer = answer(links: 60_000, anchors: 20_000)
        let events = PageEvents.events(Self.request, answer, by: "1.1")
        #expect(events.count > 10)
        var page = FetchedPage(links: [], anchors: [])
        for (number, event) in events.enumerated() {
            #expect(try JSONEncoder().encode(event).count < 256 << 10)
            switch event {
            case .fetchedPart(Self.request, let part):
                #expect(part.attempt == "1.1" && part.number == number)
                page.links += part.page.links
                page.anchors += part.page.anchors
            case .fetched(Self.request, let end):
                #expect(number == events.count - 1)
                #expect(end.partsBefore == FetchAnswer.PartsBefore(attempt: "1.1", count: number))
                page.links += end.page?.links ?? []
                page.anchors += end.page?.anchors ?? []
            default: Issue.record("\(event)")
            }
        }
        #expect(page == answer.page)
    }

    @Test("and others in one event")
    func small() {
        let answer = answer(links: 100, anchors: 10)
        #expect(PageEvents.events(Self.request, answer, by: "1.1") == [.fetched(Self.request, answer)])
        let none = FetchAnswer(status: 404)
        #expect(PageEvents.events(Self.request, none, by: "1.1") == [.fetched(Self.request, none)])
    }

    @Test("an address longer than any server takes is no valid one, and is told in short")
    func longAddress() {
        let long = String(repeating: "x", count: 1 << 20)
        let text = Array("<a href='\(long)'><a href='#\(long)'><p id='\(long)'><a href=y>".utf8)
        let page = text.withUnsafeBytes { PageExtractor.page($0, charset: nil, url: "http://site/") }
        #expect(page.links.map(\.url) == [nil, nil, "http://site/y"])
        #expect(page.links.map(\.written.utf8.count) == [1_000, 1_000, 1])
        #expect(page.anchors.isEmpty)
    }
}
