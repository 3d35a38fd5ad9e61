import Foundation
import MobiusCore
import SiteAudit
import Testing

/// A page that comes in several events is one page.
@Suite struct PagePartTests {
    private static var site: FakeSite {
        var site = FakeSite()
        site.page("http://site/", (0..<40).map { FakeSite.Link(written: "\($0).html#x") } + ["#end"], anchors: ["end"])
        for number in 0..<20 { site.page("http://site/\(number).html", ["/#end"], anchors: ["x"]) }
        return site
    }

    /// An audit whose start is in the page's request, with its answer.
    private func opened() throws -> (AuditRun, FetchRequest, FetchAnswer) {
        var run = AuditRun(Self.site)
        run.send(.auditRequested(AuditRun.request()))
        run.answerNext()
        guard case .fetch(let request)? = run.pending.popLast(),
            case .fetched(_, let answer) = run.site.event(for: request)
        else { throw CancellationError() }
        return (run, request, answer)
    }

    /// What one attempt sends.
    private func events(_ request: FetchRequest, _ answer: FetchAnswer, by attempt: String) -> [Audit.Event] {
        var parts = answer.page?.parts(of: 300) ?? []
        var end = answer
        end.page = parts.popLast()
        end.partsBefore = FetchAnswer.PartsBefore(attempt: attempt, count: parts.count)
        return parts.enumerated().map {
            .fetchedPart(request, PagePart(attempt: attempt, number: $0.offset, page: $0.element))
        } + [.fetched(request, end)]
    }

    @Test func partsMakeThePage() throws {
        let expected = try #require(AuditRun.of(Self.site).report)
        #expect(expected.broken.count == 20)
        var (run, request, answer) = try opened()
        let sent = events(request, answer, by: "1.1")
        #expect(sent.count > 5)
        for event in sent {
            run.send(event)
            run.restart()
        }
        run.answerAll()
        #expect(run.report == expected)
    }

    @Test func partsThatComeAgainAreNotCountedAgain() throws {
        let expected = try #require(AuditRun.of(Self.site).report)
        var (run, request, answer) = try opened()
        let first = events(request, answer, by: "1.1")
        for event in first.dropLast(2) { run.send(event) }
        #expect(run.send(first[0]) == .noChange)
        #expect(run.send(first[1]) == .noChange)
        // The worker is lost; another one saw another page first, and then this one.
        var other = answer
        other.page?.links.removeLast(5)
        for event in events(request, other, by: "1.2").dropLast() { run.send(event) }
        for event in events(request, answer, by: "1.3") { run.send(event) }
        for event in first { #expect(run.send(event) == .noChange, "it has answered") }
        run.answerAll()
        #expect(run.report == expected)
    }

    @Test func aPageThatFailsAfterItsFirstPartsIsAskedForAgain() throws {
        let expected = try #require(AuditRun.of(Self.site).report)
        var (run, request, answer) = try opened()
        for event in events(request, answer, by: "1.1").dropLast() { run.send(event) }
        run.send(.fetchFailed(request, .connectionFailed))
        run.answerAll()
        #expect(run.report == expected)
    }

    @Test func partsThatNobodyWaitsForChangeNothing() throws {
        var (run, request, answer) = try opened()
        let part = PagePart(attempt: "1.1", number: 1, page: FetchedPage(links: [], anchors: []))
        #expect(run.send(.fetchedPart(request, part)) == .noChange, "the first is missing")
        let other = FetchRequest(url: "http://site/none", purpose: .page)
        #expect(run.send(.fetchedPart(other, part)) == .noChange)
        run.send(.fetched(request, answer))
        #expect(run.send(.fetchedPart(request, part)) == .noChange)
    }
}
