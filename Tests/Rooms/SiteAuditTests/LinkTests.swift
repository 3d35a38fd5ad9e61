import MobiusCore
import SiteAudit
import Testing

/// Which links are broken, and why.
@Suite struct LinkTests {
    /// The reasons for the broken ones of `links` on the page `http://site/`, in order of their lines.
    private func reasons(_ site: FakeSite, _ links: [FakeSite.Link], external: Bool = false) -> [String] {
        var site = site
        site.page("http://site/", links, anchors: ["here"])
        let run = AuditRun.of(site) { $0.checksExternal = external }
        return run.report?.broken.map { "\($0.line): \($0.reason)" } ?? ["no report"]
    }

    @Test func fragments() {
        var site = FakeSite()
        site.page("http://site/a", anchors: ["one", "a b", "100%25", "ü"])
        site.file("http://site/b.pdf", "application/pdf")
        let links: [FakeSite.Link] = [
            "#here", "#", "#top", "#TOP", "#gone", "a#one", "a#One", "a#a%20b", "a#%C3%BC", "a#100%25", "a#two",
            "b.pdf#page=2", "a#one:~:text=x", "#:~:text=x", "a#", .image("a#gone"),
        ]
        #expect(
            reasons(site, links) == [
                "5: no anchor “gone” on that page", "7: no anchor “One” on that page",
                "11: no anchor “two” on that page",
                "16: an image is wanted here, this is text/html",
            ])
    }

    @Test func statusesAndFailures() {
        var site = FakeSite()
        site.file("http://site/gone", nil, status: 410)
        site.file("http://site/odd", nil, status: 599)
        site.file("http://site/choice", nil, status: 300)
        site.failures["http://site/slow"] = .timedOut
        site.failures["http://nowhere/"] = .hostNotFound
        site.failures["http://site/mess"] = .invalidAnswer
        let links: [FakeSite.Link] = [
            "gone", "odd", "choice", "slow", "http://nowhere/", "mess", "http://[bad/", "http://",
        ]
        #expect(
            reasons(site, links, external: true) == [
                "1: gone", "2: an error", "3: an unexpected answer", "4: no answer within the time limit",
                "5: there is no such host", "6: the answer is invalid or too large", "7: not a valid URL",
                "8: not a valid URL",
            ])
    }

    @Test func invalidLinksAreReportedAsWritten() {
        var site = FakeSite()
        site.page("http://site/", ["http://ex ample/?<b>"])
        let broken = AuditRun.of(site).report?.broken
        #expect(broken?.map(\.link) == ["http://ex ample/?<b>"])
        #expect(broken?.map(\.status) == [nil])
    }

    @Test func contentTypes() {
        var site = FakeSite()
        site.file("http://site/ok.js", "text/javascript")
        site.file("http://site/x.js", "application/x-javascript")
        site.file("http://site/ok.css", "text/css")
        site.file("http://site/ok.svg", "image/svg+xml")
        site.file("http://site/plain", "text/plain")
        site.file("http://site/untyped", nil)
        let links: [FakeSite.Link] = [
            .script("ok.js"), .script("x.js"), .stylesheet("ok.css"), .image("ok.svg"), "ok.css", .other("plain"),
            .script("plain"), .stylesheet("plain"), .image("plain"), .image("untyped"), .stylesheet("untyped"),
        ]
        #expect(
            reasons(site, links) == [
                "7: a script is wanted here, this is text/plain", "8: a stylesheet is wanted here, this is text/plain",
                "9: an image is wanted here, this is text/plain",
            ])
    }

    @Test func redirectChains() throws {
        var site = FakeSite()
        site.redirect("http://site/a", to: "http://site/b", status: 302)
        site.redirect("http://site/b", to: "http://site/c#deep")
        site.page("http://site/c", anchors: ["flat"])
        site.redirect("http://site/x", to: "http://site/gone", status: 308)
        site.redirect("http://site/y", to: nil, status: 307)
        site.redirect("http://site/loop1", to: "http://site/loop2")
        site.redirect("http://site/loop2", to: "http://site/loop1")
        site.redirect("http://site/out", to: "http://elsewhere/")
        site.page("http://site/", ["a", "c#flat", "x", "y", "loop1", "out", "b#mine"])
        let report = try #require(AuditRun.of(site).report)
        #expect(
            report.broken.map { "\($0.line): \($0.reason) \($0.status ?? 0)" } == [
                "1: no anchor “deep” on that page 200", "3: not found 404",
                "4: redirects, but does not say where to 307",
                "5: redirects in a loop 301", "7: no anchor “deep” on that page 200",
            ])
        #expect(
            report.redirects.map { "\($0.line): \($0.status ?? 0) \($0.link) \($0.target)" } == [
                "1: 302 http://site/a http://site/c#deep", "3: 308 http://site/x http://site/gone",
                "5: 301 http://site/loop1 http://site/loop1", "6: 301 http://site/out http://elsewhere/",
                "7: 301 http://site/b#mine http://site/c#deep",
            ])
    }

    @Test func aFragmentOutlivesARedirect() {
        var site = FakeSite()
        site.redirect("http://site/a", to: "http://site/b")
        site.page("http://site/b", anchors: ["yes"])
        #expect(reasons(site, ["a#yes", "a#no"]) == ["2: no anchor “no” on that page"])
    }

    @Test func endlessChainsEnd() {
        var site = FakeSite()
        for number in 0..<40 { site.redirect("http://site/\(number)", to: "http://site/\(number + 1)") }
        site.page("http://site/40")
        site.page("http://site/", ["0", "late.html"])
        site.page("http://site/late.html", ["30", "29"])
        let run = AuditRun.of(site)
        #expect(run.report?.broken.map(\.link) == ["http://site/0", "http://site/29"])
        #expect(run.report?.broken.map(\.reason) == Array(repeating: "more than 10 redirects in a row", count: 2))
        #expect(run.requests.contains { $0.url == "http://site/11" } == false)
        #expect(run.requests.contains { $0.url == "http://site/40" })
    }

    @Test func eachDefectIsReportedOncePerPlace() {
        let link = FakeSite.Link(written: "gone", line: 5)
        var site = FakeSite()
        site.page("http://site/", [link, link, FakeSite.Link(written: "gone", line: 6)])
        let report = AuditRun.of(site).report
        #expect(report?.broken.map(\.line) == [5, 6])
        #expect(report?.links == 3)
    }
}
