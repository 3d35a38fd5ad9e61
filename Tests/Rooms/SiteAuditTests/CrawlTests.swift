import MobiusCore
import SiteAudit
import Testing

/// What is fetched, and in which way.
@Suite struct CrawlTests {
    @Test func dialogueOfASmallAudit() {
        var run = AuditRun(FakeSite())
        let robots = FetchRequest(url: "http://site/robots.txt", purpose: .robots)
        let start = FetchRequest(url: "http://site/", purpose: .page)
        let logo = FetchRequest(url: "http://site/logo.png", purpose: .check)
        let request = AuditRun.request()

        #expect(run.send(.auditRequested(request)).effects == [.fetch(robots)])
        #expect(run.send(.fetched(robots, FetchAnswer(status: 404))).effects == [.fetch(start)])
        let image = FetchedLink(written: "logo.png", url: logo.url, fragment: nil, line: 7, kind: .image)
        let page = FetchAnswer(status: 200, contentType: "text/html", page: FetchedPage(links: [image], anchors: []))
        let shown = AuditProgress(request: "first", pages: 1, links: 1, broken: 0, checked: 1, known: 2)
        #expect(run.send(.fetched(start, page)).effects == [.fetch(logo), .showProgress(shown)])
        #expect(run.send(.fetched(start, page)) == .noChange, "an answer that comes twice")
        var done = AuditProgress(request: "first", pages: 1, links: 1, broken: 1, checked: 2, known: 2)
        var row = ReportRow.broken("http://site/", "http://site/logo.png", line: 7, "not found", 404)
        done.found = [row]
        row.group = 1
        var summary = Summary()
        (summary.pages, summary.links, summary.broken, summary.addresses) = (1, 1, 1, 2)
        let head = ReportHead(start: "http://site/", directory: "/reports", started: 1000, summary: summary)
        summary.reasons = [ReasonCount(reason: "404 not found", count: 1, example: done.found[0])]
        let part = ReportPart(report: "first", directory: "/reports", number: 0, rows: ReportRows([row]))
        let end = run.send(.fetched(logo, FetchAnswer(status: 404)))
        #expect(end.effects == [.showProgress(done), .writePart(part)])
        let assembly = ReportAssembly(report: "first", parts: 1, head: head)
        #expect(run.send(.partWritten(report: "first", number: 0)).effects == [.assembleReport(assembly)])
        let files = Report(head, [row]).files(seconds: 2)
        let finish = Finish(request: "first", outcome: .finished(summary, files))
        #expect(run.send(.reportWritten(files)).effects == [.finish(finish)])
        #expect(run.send(.reportWritten(files)) == .noChange)
    }

    @Test func crawlsBelowTheStartAndChecksTheRest() {
        var site = FakeSite()
        site.page("http://site/docs/", ["a.html", "/other/", "http://elsewhere/", .image("x.png")])
        site.page("http://site/docs/a.html", ["b/c.html", "missing.html"])
        site.page("http://site/docs/b/c.html")
        site.page("http://site/other/", ["/other/broken.html"])
        site.file("http://site/docs/x.png", "image/png")
        let run = AuditRun.of(site, start: "http://site/docs/")
        let urls = Set(run.requests.map { "\($0.purpose.rawValue) \($0.url)" })
        #expect(
            urls == [
                "robots http://site/robots.txt", "page http://site/docs/", "page http://site/docs/a.html",
                "page http://site/other/", "check http://site/docs/x.png", "page http://site/docs/b/c.html",
                "page http://site/docs/missing.html",
            ])
        #expect(run.requests.count == urls.count, "each URL is asked for once")
        #expect(run.summary?.pages == 3)
        #expect(run.summary?.links == 5)
        #expect(run.report?.unchecked == 1)
        #expect(run.report?.broken.map(\.link) == ["http://site/docs/missing.html"])
    }

    @Test func externalLinksAreCheckedWhenAsked() {
        var site = FakeSite()
        site.page("http://site/", ["http://elsewhere/a#x", "http://elsewhere/b", "https://site/"])
        site.file("http://elsewhere/a", "text/html")
        site.failures["https://site/"] = .insecure
        let run = AuditRun.of(site) { $0.checksExternal = true }
        let external = run.requests.filter { $0.url.hasPrefix("http://site/") == false }
        #expect(external.count == 3)
        #expect(external.allSatisfy { $0.purpose == .check })
        #expect(run.report?.broken.map(\.link) == ["http://elsewhere/b", "https://site/"])
        #expect(run.report?.broken.last?.status == nil)
        #expect(run.report?.broken.last?.reason == "the host's certificate is not trusted")
    }

    @Test(arguments: [AuditRun.Order.firstFirst, .lastFirst, .shuffled(seed: 1)])
    func imageThatIsAPageIsCrawledAllTheSame(order: AuditRun.Order) {
        var site = FakeSite()
        site.page("http://site/", [.image("page.html"), "next.html"])
        site.page("http://site/next.html", ["page.html#here"])
        site.page("http://site/page.html", ["gone.html"], anchors: ["here"])
        let run = AuditRun.of(site, order: order)
        #expect(run.summary?.pages == 3)
        #expect(
            run.report?.broken.map(\.reason) == ["an image is wanted here, this is text/html", "not found"])
    }

    @Test func pictureLinkedAsDocumentIsAskedForOnce() {
        var site = FakeSite()
        site.page("http://site/", [.image("x.png"), "x.png"])
        site.file("http://site/x.png", "image/png")
        let run = AuditRun.of(site)
        #expect(run.requests.count { $0.url == "http://site/x.png" } == 1)
        #expect(run.summary?.broken == 0)
    }

    @Test func spellingsOfTheScopeAreOne() {
        var site = FakeSite()
        let links = ["/%7euser/a.html", "/~user/b.html", "/%7Euser/c.html", "/%7Fuser/d.html", "/other/%7e.html"]
        site.page("http://site/~user/", links.map { FakeSite.Link(written: $0) })
        site.page("http://site/%7Euser/", links.map { FakeSite.Link(written: $0) })
        for link in links { site.page("http://site\(link)", [FakeSite.Link(written: "http://[\(link)")]) }
        for start in ["http://site/~user/", "http://site/%7Euser/"] {
            let run = AuditRun.of(site, start: start)
            #expect(run.summary?.pages == 4)
            #expect(run.requests.contains { $0.url == "http://site/%7euser/a.html" }, "asked for as it is linked")
        }
    }

    @Test func depthCountsLinksFromTheStart() {
        var site = FakeSite()
        site.page("http://site/", ["1.html", "moved.html"])
        site.redirect("http://site/moved.html", to: "http://site/1b.html")
        site.page("http://site/1.html", ["2.html"])
        site.page("http://site/1b.html", ["2b.html"])
        site.page("http://site/2.html", ["3.html"])
        site.page("http://site/2b.html", ["3b.html"])
        let pages = [0: 1, 1: 3, 2: 5, 9: 5]
        for (depth, count) in pages {
            let run = AuditRun.of(site) { $0.depth = depth }
            #expect(run.summary?.pages == count, "depth \(depth)")
        }
        let run = AuditRun.of(site) { $0.depth = 1 }
        #expect(run.summary?.broken == 0, "pages too far away are asked for, but not their links")
        #expect(run.requests.contains { $0.url == "http://site/2b.html" })
    }

    @Test func maxPagesTakesNearPagesFirstInAlphabeticalOrder() {
        var site = FakeSite()
        site.page("http://site/", ["d.html", "b.html", "gone.html", "a.html", "c.html"])
        for name in ["a", "b", "c", "d"] {
            site.page("http://site/\(name).html", [.init(written: "lost-\(name).html")])
        }
        let run = AuditRun.of(site) { $0.maxPages = 4 }
        #expect(run.summary?.pages == 4)
        #expect(
            run.report?.broken.map(\.link) == [
                "http://site/gone.html", "http://site/lost-a.html", "http://site/lost-b.html",
                "http://site/lost-c.html",
            ])
    }

    @Test func robotsAreObeyed() {
        var site = FakeSite()
        site.robots("http://site", "User-agent: site-audit\nDisallow: /private\nUser-agent: *\nDisallow: /")
        site.page("http://site/", ["private/a.html", "private/a.html#x", .image("private/b.png"), "open.html"])
        site.page("http://site/open.html")
        let run = AuditRun.of(site)
        #expect(run.requests.map(\.url).contains { $0.contains("private") } == false)
        #expect(run.summary?.broken == 0)
        #expect(run.report?.disallowed == 2)
        #expect(run.summary?.pages == 2)
    }
}

/// The way to the first page.
@Suite struct OpeningTests {
    @Test(arguments: [
        ("http://site/docs", "http://site/docs/", "http://site/docs/x.html"),
        ("http://site/", "http://site/en/index.html", "http://site/x.html"),
        ("http://site/", "https://www.site/", "https://www.site/x.html"),
        ("http://site/old/a.html", "http://site/new/", "http://site/new/x.html"),
    ])
    func redirectedStart(start: String, target: String, inside: String) {
        var site = FakeSite()
        site.redirect(start, to: target)
        site.page(target, [.init(written: inside), .init(written: start)])
        site.page(inside)
        let run = AuditRun.of(site, start: start)
        #expect(run.report?.start == start)
        #expect(run.summary?.pages == 2)
        #expect(run.requests.count == Set(run.requests).count)
        #expect(run.requests.contains { $0.url == (WebURL(target)?.origin ?? "") + "/robots.txt" })
    }

    @Test func unreachableStarts() {
        func outcome(_ site: FakeSite, _ start: String = "http://site/") -> String {
            let run = AuditRun.of(site, start: start)
            guard case .unreachable(let sentence) = run.finishes.last?.outcome else { return "\(run.finishes)" }
            return sentence
        }
        var site = FakeSite()
        #expect(outcome(site).contains("not found"))
        #expect(outcome(site, "ftp://site/").contains("not an http or https URL"))
        site.failures["http://site/robots.txt"] = .connectionFailed
        #expect(outcome(site).contains("does not accept connections"))
        site.failures = ["http://site/": .timedOut]
        #expect(outcome(site).contains("no answer within the time limit"))
        site.failures = [:]
        site.file("http://site/", "application/pdf")
        #expect(outcome(site).contains("application/pdf"))
        site.redirect("http://site/", to: "http://site/")
        #expect(outcome(site).contains("loop"))
        for number in 0..<12 { site.redirect("http://site/\(number)", to: "http://site/\(number + 1)") }
        #expect(outcome(site, "http://site/0").contains("more than 10 redirects"))
        site.robots("http://site", "User-agent: *\nDisallow: /")
        #expect(outcome(site).contains("forbids"))
        site.file("http://site/robots.txt", nil, status: 503)
        #expect(outcome(site).contains("503"))
    }

    @Test func robotsMayRedirect() {
        var site = FakeSite()
        site.redirect("http://site/robots.txt", to: "http://site/r.txt")
        site.answers["http://site/r.txt"] = FetchAnswer(status: 200, text: "User-agent: *\nDisallow: /no")
        site.page("http://site/", ["no.html", "yes.html"])
        let run = AuditRun.of(site)
        #expect(run.report?.disallowed == 1)
        #expect(run.report?.broken.map(\.link) == ["http://site/yes.html"])
    }
}
