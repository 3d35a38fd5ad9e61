import Foundation
import MobiusCore
import SiteAudit
import Testing

private let orders: [AuditRun.Order] = [.firstFirst, .lastFirst] + (1...8).map { .shuffled(seed: $0) }

/// Cookies on the way to the first page, which go with all later requests to its origin.
@Suite struct CookieTests {
    @Test(arguments: orders)
    func aStartThatRedirectsToItselfWithACookieIsAudited(order: AuditRun.Order) {
        var site = FakeSite()
        site.page("http://site/", ["inside.html", "http://other/"])
        site.gates["http://site/"] = ("seen=1", "http://site/")
        site.cookies["http://site/"] = "seen=1"
        site.page("http://site/inside.html", ["gone.html"])
        site.gates["http://site/inside.html"] = ("seen=1", "http://site/login")
        site.file("http://other/", "text/html")
        let run = AuditRun.of(site, order: order) { $0.checksExternal = true }
        #expect(run.report?.broken.map(\.link) == ["http://site/gone.html"])
        #expect(run.report?.pages == 2)
        for request in run.requests.dropFirst(2) {
            #expect(request.cookies == (request.url.hasPrefix("http://site/") ? ["seen=1"] : nil), "\(request.url)")
        }
    }

    @Test func eachOriginOnTheWayHasItsOwn() {
        var site = FakeSite()
        site.redirect("http://site/", to: "http://login/")
        site.cookies["http://site/"] = "mine"
        site.redirect("http://login/", to: "http://site/")
        site.cookies["http://login/"] = "theirs"
        site.gates["http://site/"] = ("mine", "http://login/")
        site.page("http://site/", ["http://login/help"])
        site.file("http://login/help", "text/html")
        site.cookies["http://login/robots.txt"] = "robots"
        let run = AuditRun.of(site) { $0.checksExternal = true }
        #expect(run.summary?.pages == 1)
        #expect(
            run.requests.map { "\($0.url) \($0.cookies?.joined(separator: " ") ?? "-")" } == [
                "http://site/robots.txt -", "http://site/ -", "http://login/robots.txt -", "http://login/ robots",
                "http://site/robots.txt mine", "http://site/ mine", "http://login/help robots theirs",
            ])
    }

    @Test func cookiesThatChangeForEverEndInALoop() {
        var site = FakeSite()
        site.redirect("http://site/", to: "http://site/")
        #expect("\(AuditRun.of(site).finishes)".contains("redirects in a loop"))
        var run = AuditRun(site)
        run.send(.auditRequested(AuditRun.request()))
        for number in 0..<20 {
            guard case .fetch(let request)? = run.pending.popLast() else { break }
            var answer = FetchAnswer(status: request.purpose == .robots ? 404 : 302, location: "http://site/")
            answer.cookies = ["count=\(number)"]
            run.send(.fetched(request, answer))
            #expect(run.send(.fetched(request, answer)) == .noChange, "an answer that comes twice")
        }
        #expect(run.requests.count == 12)
        #expect("\(run.finishes)".contains("more than 10 redirects"))
    }

    @Test func cookiesAreBoundedAndThoseOfPagesAreNotKept() {
        var site = FakeSite()
        site.page("http://site/", ["a.html"])
        site.cookies["http://site/robots.txt"] = String(repeating: "x", count: 9 << 10)
        site.page("http://site/a.html", ["b.html"])
        site.cookies["http://site/a.html"] = "late"
        site.page("http://site/b.html")
        #expect(AuditRun.of(site).requests.allSatisfy { $0.cookies == nil })
    }

    @Test func peopleSeeNeitherCookiesNorThePassword() {
        var site = FakeSite()
        site.page("http://site/", ["moved"])
        site.cookies["http://site/"] = "hidden1"
        site.redirect("http://site/moved", to: "http://site/")
        site.cookies["http://site/moved"] = "hidden2"
        var run = AuditRun(site)
        var shown = ""
        run.send(.auditRequested(AuditRun.request("http://user:hidden3@site/")))
        shown += "\(Audit.redact(.auditRequested(AuditRun.request("http://user:hidden3@site/"))))"
        var real = ""
        while let effect = run.pending.first {
            shown += "\(Audit.redact(run.model)) \(Audit.redact(effect))"
            real += "\(run.model) \(effect)"
            if case .fetch(let request) = effect { shown += "\(Audit.redact(site.event(for: request)))" }
            run.answerNext()
        }
        #expect(real.contains("hidden1") && real.contains("hidden3"))
        #expect(shown.contains("hidden") == false)
    }
}

/// An address is visited as a browser does before a link to it is called broken.
@Suite struct SecondLookTests {
    private static var shop: FakeSite {
        var site = FakeSite()
        site.page("http://site/", ["members", "shop#cart", "shop#gone", .image("shop"), "gate", "plain"])
        site.page("http://site/members", ["inside", "missing"])
        site.gates["http://site/members"] = ("seen=1", "http://site/members")
        site.cookies["http://site/members"] = "seen=1"
        site.page("http://site/shop", ["inside"], anchors: ["cart"])
        site.gates["http://site/shop"] = ("gate=1", "http://site/gate")
        site.redirect("http://site/gate", to: "http://site/shop")
        site.cookies["http://site/gate"] = "gate=1"
        site.page("http://site/plain")
        site.page("http://site/inside", ["shop"])
        return site
    }

    @Test(arguments: orders)
    func redirectsThatSetCookies(order: AuditRun.Order) throws {
        for limits: (Int?, Int?) in [(nil, nil), (100, 50), (nil, 1)] {
            let run = AuditRun.of(Self.shop, order: order) { ($0.maxPages, $0.depth) = limits }
            let report = try #require(run.report)
            #expect(
                report.broken.map { "\($0.page) \($0.link) \($0.note)" } == [
                    "http://site/ http://site/shop#gone no anchor “gone” on that page",
                    "http://site/ http://site/shop an image is wanted here, this is text/html",
                    "http://site/members http://site/missing not found",
                ], "\(limits)")
            // Both of a loop are linked, and what the second answers with cookies is the first's page.
            #expect(report.pages == (limits.1 == 1 ? 5 : 6))
            #expect(report.addresses == 7)
            let visits = run.requests.filter { $0.purpose == .visit }.map(\.url)
            #expect(Set(visits).count == 3)
            #expect(visits.count <= 4, "once each, and once more when an image turns out to be a page")
            #expect(run.progress.last.map { $0.checked == $0.known } == true)
        }
    }

    @Test func aLimitOnPagesHolds() {
        for pages in 1...6 {
            for order in orders {
                let run = AuditRun.of(Self.shop, order: order) { $0.maxPages = pages }
                #expect(run.summary?.pages == pages, "\(order)")
                #expect(run.report == AuditRun.of(Self.shop) { $0.maxPages = pages }.report)
            }
        }
    }

    @Test func aVisitThatHelpsNotChangesNothing() throws {
        var site = FakeSite()
        site.page("http://site/", ["loop", "bad", "slow"])
        for name in ["loop", "bad", "slow"] { site.cookies["http://site/\(name)"] = "any" }
        site.redirect("http://site/loop", to: "http://site/loop", status: 303)
        site.redirect("http://site/bad", to: "http://site/gone")
        site.redirect("http://site/slow", to: "http://site/gone")
        var run = AuditRun(site)
        run.send(.auditRequested(AuditRun.request()))
        while let effect = run.pending.first {
            guard case .fetch(let request) = effect, request.purpose == .visit, request.url.hasSuffix("slow") else {
                run.answerNext()
                continue
            }
            run.pending.removeFirst()
            run.send(.fetchFailed(request, .timedOut))
        }
        #expect(
            run.report?.broken.map { "\($0.link) \($0.note) \($0.status ?? 0)" } == [
                "http://site/loop redirects in a loop 303", "http://site/bad not found 404",
                "http://site/slow no answer within the time limit 0",
            ])
        #expect(run.requests.count { $0.purpose == .visit } == 4, "one is repeated after its time-out")
    }

    @Test func withoutCookiesNobodyLooksTwice() {
        var site = FakeSite()
        site.page("http://site/", ["loop", "moved", "gone"])
        site.redirect("http://site/loop", to: "http://site/loop")
        site.redirect("http://site/moved", to: "http://site/gone")
        site.cookies["http://site/gone"] = "any"
        let run = AuditRun.of(site)
        #expect(run.summary?.broken == 3)
        #expect(run.requests.contains { $0.purpose == .visit } == false)
    }

    @Test(arguments: orders)
    func theTypeThatHEADSaysIsNoProof(order: AuditRun.Order) {
        var site = FakeSite()
        site.page(
            "http://site/",
            [
                .stylesheet("style"), .image("logo"), .script("app"), .image("really"), .image("moved"),
                .image("http://cdn/x"), "logo", .image("page"), "page",
            ])
        let types = ["site/style": "text/css", "site/logo": "image/png", "site/app": "text/javascript"]
        for (name, type) in types { site.file("http://\(name)", type) }
        site.file("http://site/really", "text/html")
        site.redirect("http://site/moved", to: "http://site/logo")
        site.file("http://cdn/x", "image/png")
        site.page("http://site/page", ["gone"])
        for name in ["site/style", "site/logo", "site/app", "site/really", "cdn/x"] {
            site.heads["http://\(name)"] = "text/html"
        }
        site.heads["http://site/page"] = "image/png"
        let run = AuditRun.of(site, order: order) { $0.checksExternal = true }
        #expect(
            run.report?.broken.map { "\($0.link) \($0.note)" } == [
                "http://site/really an image is wanted here, this is text/html",
                "http://site/page an image is wanted here, this is text/html", "http://site/gone not found",
            ])
        #expect(run.report?.redirects.map(\.link) == ["http://site/moved"])
        #expect(run.report?.pages == 2)
    }

    @Test func aVisitThatAnswersTwiceCountsOnce() {
        var run = AuditRun(Self.shop)
        run.send(.auditRequested(AuditRun.request()))
        while case .fetch(let request)? = run.pending.first {
            let event = run.site.event(for: request)
            run.answerNext()
            run.restart()
            if run.pending.contains(.fetch(request)) == false { #expect(run.send(event) == .noChange, "\(request)") }
        }
        run.answerAll()
        #expect(run.summary?.pages == 6)
    }
}

/// Pages that nobody could read are said to be so.
@Suite struct UnreadTests {
    private static var site: FakeSite {
        var site = FakeSite()
        site.robots("http://site", "User-agent: *\nDisallow: /docs/no")
        site.page("http://site/docs/", ["big.html#x", "odd.html#x", "more.html", "no", "/beside.html", "a.html"])
        site.unread("http://site/docs/big.html", .tooLarge)
        site.unread("http://site/docs/odd.html", .coding)
        site.unread("http://site/docs/more.html", .coding)
        site.unread("http://site/beside.html", .coding)
        site.page("http://site/docs/a.html", ["deep.html"])
        site.page("http://site/docs/deep.html")
        return site
    }

    @Test(arguments: orders)
    func theyAreInTheReportAndNotBroken(order: AuditRun.Order) throws {
        let run = AuditRun.of(Self.site, start: "http://site/docs/", order: order) { $0.depth = 1 }
        let report = try #require(run.report)
        #expect(report.broken == [])
        #expect(report.links == 7)
        #expect(
            report.unread == [
                .unread("http://site/docs/big.html", "too large", group: 3),
                .unread("http://site/docs/more.html", "in an unknown coding"),
                .unread("http://site/docs/odd.html", "in an unknown coding"),
            ])
        #expect(
            run.summary?.omissions == [
                "3 pages not read: 2 in an unknown coding, 1 too large", "1 address left alone as robots.txt asks",
                "stopped by --depth 1: 1 page that was found was not crawled; a higher --depth crawls more",
            ])
        #expect(run.summary?.unread.map(\.example.page) == ["http://site/docs/more.html", "http://site/docs/big.html"])
    }

    @Test func bothFilesSaySo() throws {
        let report = try #require(AuditRun.of(Self.site, start: "http://site/docs/").report)
        var html = ReportHTML(report.head, seconds: 1)
        let text = html.opening + report.rows.map { html.row($0) }.joined() + html.closing
        #expect(text.contains("<section id=\"unread\" class=\"list\">"))
        #expect(text.components(separatedBy: "Not read, and why").count == 2)
        #expect(text.contains("<br>1 address left alone as robots.txt asks"))
        #expect(text.contains(">http://site/docs/big.html</a></td><td class=\"reason\">too large</td>"))
        var json = ReportJSON(report.head)
        let values = json.opening + report.rows.map { json.row($0) }.joined() + json.closing(seconds: 1)
        #expect(values.contains("\"disallowed\": 1,\n"))
        #expect(
            values.contains(
                "\"unread\": [\n    {\"page\": \"http://site/docs/big.html\", \"reason\": \"too large\"},\n    {\"page\""
            ))
    }

    @Test func omissionsWithoutPagesHaveASectionToo() {
        var summary = Summary()
        summary.disallowed = 2
        let head = ReportHead(start: "http://site/", directory: "/r", started: 0, summary: summary)
        let html = ReportHTML(head, seconds: 1)
        #expect(html.closing.contains("<section><h2>Not read, and why</h2>\n<p class=\"hint\">2 addresses left alone"))
        let nothing = ReportHead(start: "http://site/", directory: "/r", started: 0, summary: Summary())
        #expect(ReportHTML(nothing, seconds: 1).closing.contains("Not read") == false)
    }

    @Test func aStartThatCannotBeReadIsNoAudit() {
        var site = FakeSite()
        site.unread("http://site/", .tooLarge)
        #expect("\(AuditRun.of(site).finishes)".contains("cannot be audited: too large"))
        site.unread("http://site/robots.txt", .coding)
        #expect("\(AuditRun.of(site).finishes)".contains("robots.txt is in an unknown coding, so it is unknown"))
    }
}
