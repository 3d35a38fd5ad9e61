import Foundation
import MobiusCore
import SiteAudit
import Testing

/// The same site gives the same report, whoever answers first, however often, and through restarts.
@Suite struct DeterminismTests {
    /// A site that no seed leaves without defects of each kind: loops, chains, wrong types, pages as pictures, robots.
    private func tangle(seed: UInt64) -> FakeSite {
        var generator = SeededGenerator(seed: seed)
        var site = FakeSite()
        site.robots("http://site", "User-agent: *\nDisallow: /docs/secret\nDisallow: /r/3$")
        func target() -> String {
            let number = Int.random(in: 0..<40, using: &generator)
            let fragment = ["", "", "#a", "#b", "#gone", "#top"].randomElement(using: &generator) ?? ""
            switch Int.random(in: 0..<10, using: &generator) {
            case 0...4: return "/docs/\(number).html\(fragment)"
            case 5: return "/r/\(number % 12)\(fragment)"
            case 6: return "/beside/\(number % 5).html\(fragment)"
            case 7: return "/docs/secret/\(number)"
            case 8: return "http://host\(number % 3)/\(number)\(fragment)"
            default: return number % 7 == 0 ? "http://[bad" : "/docs/pic\(number % 6).png"
            }
        }
        func links() -> [FakeSite.Link] {
            (0..<Int.random(in: 0...8, using: &generator)).map { _ in
                let kinds: [FetchedLink.Kind] = [.document, .document, .document, .image, .script, .other, .stylesheet]
                let kind = kinds.randomElement(using: &generator) ?? .document
                return FakeSite.Link(written: target(), kind: kind, line: Int.random(in: 2...5, using: &generator))
            }
        }
        let first = (0..<8).map { FakeSite.Link(written: "\($0 * 4).html") } + ["/r/1", "secret/x", "31.html"]
        site.page("http://site/docs/", first + links(), anchors: ["a"])
        for number in 0..<30 {
            let anchors = ["a", "b"].filter { _ in Bool.random(using: &generator) }
            site.page("http://site/docs/\(number).html", links(), anchors: anchors)
        }
        for number in 0..<4 { site.page("http://site/beside/\(number).html", links(), anchors: ["a"]) }
        for number in 0..<12 {
            let statuses = [301, 302, 307]
            let location = WebURL("http://site/")?.resolve(target())
            var place: String?
            if case .web(let url, let fragment) = location { place = url + (fragment.map { "#\($0)" } ?? "") }
            site.redirect(
                "http://site/r/\(number)", to: place, status: statuses.randomElement(using: &generator) ?? 301)
            site.redirect("http://site/docs/\(number + 30).html", to: place)
        }
        for number in 0..<4 { site.file("http://site/docs/pic\(number).png", number == 0 ? "text/html" : "image/png") }
        for number in 0..<20 { site.file("http://host0/\(number)", "text/html") }
        site.failures["http://host1/1"] = .timedOut
        for number in 0..<30 where Int.random(in: 0..<4, using: &generator) == 0 {
            // Few that stop the whole origin: five in a row and it would be given up.
            let passing: [FakeSite.Received] = [.status(503), .status(502), .status(503, retryAfter: 2)]
            let event = number == 3 ? .failure(.connectionFailed) : number == 4 ? .status(429) : passing[number % 3]
            site.passing["http://site/docs/\(number).html"] = (1, event)
        }
        // Doors that open with a cookie, some of them to each other, and pages that HEAD or nobody can read.
        for number in [2, 4, 5, 8] {
            site.cookies["http://site/r/\(number)"] = "r\(number % 4)"
            site.gates["http://site/docs/\(number * 2 + 1).html"] = ("r\(number % 4)", "http://site/r/\(number)")
        }
        for number in [7, 8] {
            site.gates["http://site/docs/\(number).html"] = ("own\(number)", "http://site/docs/\(15 - number).html")
            site.cookies["http://site/docs/\(number).html"] = "own\(number)"
        }
        for number in 0..<6 {
            site.heads["http://site/docs/pic\(number).png"] = ["text/html", "image/png"][number % 2]
        }
        for number in [11, 13] { site.unread("http://site/docs/\(number).html", .coding) }
        site.redirect("http://host2/2", to: "http://site/docs/1.html#b")
        site.redirect("http://host2/5", to: "http://site/r/5")
        return site
    }

    private static let settings: [@Sendable (inout AuditRequest) -> Void] = [
        { _ in },
        { $0.checksExternal = true },
        { $0.depth = 1 },
        {
            $0.depth = 2; $0.checksExternal = true
        },
        { $0.maxPages = 5 },
        {
            $0.maxPages = 12; $0.concurrency = 3
        },
        {
            $0.maxPages = 9; $0.depth = 2; $0.delay = 10; $0.perHost = 2
        },
    ]

    /// Orders of each site and setting; `ORDERS` asks for more by hand.
    private static let orders = ProcessInfo.processInfo.environment["ORDERS"].flatMap { Int($0) } ?? 6

    @Test(arguments: 1...20)
    func orderDoesNotMatter(seed: Int) throws {
        let site = tangle(seed: UInt64(seed))
        for (number, setting) in Self.settings.enumerated() {
            let plain = AuditRun.of(site, start: "http://site/docs/", setting)
            let report = try #require(plain.report)
            let orders: [AuditRun.Order] =
                [.lastFirst] + (1...Self.orders).map { .shuffled(seed: UInt64(seed * 100_000 + $0)) }
            for order in orders {
                let other = AuditRun.of(site, start: "http://site/docs/", order: order, setting)
                #expect(other.report == report, "setting \(number), \(order)")
                #expect(other.summary == plain.summary)
                expectEachURLOnce(other)
            }
        }
    }

    @Test func theTangleHasEverything() throws {
        let reports = (1...20).compactMap { seed in
            AuditRun.of(tangle(seed: seed), start: "http://site/docs/") { $0.checksExternal = true }.report
        }
        let reasons = Set(reports.flatMap { $0.broken.map { $0.reason.prefix(10) } })
        #expect(reasons.count >= 9, "\(reasons)")
        #expect(reports.allSatisfy { $0.pages > 5 && $0.redirects.isEmpty == false && $0.disallowed > 0 })
    }

    /// Once in each way at most: checked, as a page when a picture turned out to be one, and visited.
    private func expectEachURLOnce(_ run: AuditRun) {
        var asked: [String: [FetchRequest.Purpose]] = [:]
        for request in run.requests where request.retry == nil {
            asked[request.url, default: []].append(request.purpose)
        }
        for (url, purposes) in asked {
            let visits = purposes.count { $0 == .visit }
            let others = purposes.filter { $0 != .visit }
            #expect(others.count == 1 || others == [.check, .page], "\(url): \(purposes)")
            #expect(visits <= 2, "\(url): \(purposes)")
        }
    }

    @Test(arguments: 1...20)
    func aRedirectCheckedBeforeItsPageWasFoundLeadsAsFar(seed: Int) {
        var site = FakeSite()
        site.page("http://site/", [.image("second.html"), "first.html"])
        site.redirect("http://site/first.html", to: "http://site/second.html")
        site.redirect("http://site/second.html", to: "http://site/third.html")
        site.page("http://site/third.html", ["fourth.html"])
        site.page("http://site/fourth.html")
        for order: AuditRun.Order in [.firstFirst, .lastFirst, .shuffled(seed: UInt64(seed))] {
            let run = AuditRun.of(site, order: order) { $0.depth = 1 }
            #expect(run.report?.pages == 2, "\(order)")
        }
    }

    @Test(arguments: 1...20)
    func aRedirectCheckedBeforeItsPageWasFoundHasItsOwnTurn(seed: Int) {
        var site = FakeSite()
        site.page("http://site/", [.image("a.html"), "m.html", "n.html"])
        site.page("http://site/m.html", ["a.html", "b.html"])
        site.page("http://site/n.html")
        site.redirect("http://site/a.html", to: "http://site/z.html")
        site.page("http://site/b.html", ["only-b.html"])
        site.page("http://site/z.html", ["only-z.html"])
        for order: AuditRun.Order in [.firstFirst, .lastFirst, .shuffled(seed: UInt64(seed))] {
            let run = AuditRun.of(site, order: order) { $0.maxPages = 4 }
            #expect(run.report?.broken.map(\.link) == ["http://site/a.html", "http://site/only-z.html"], "\(order)")
        }
    }

    @Test func aChainOfRedirectsThatNoStackWouldHold() {
        var site = FakeSite()
        let count = 20_000
        site.page("http://site/", (0..<count).map { .image("r/\($0)") } + ["page.html"])
        site.page("http://site/page.html", ["r/0"])
        for number in 0..<count { site.redirect("http://site/r/\(number)", to: "http://site/r/\(number + 1)") }
        #expect(AuditRun.of(site).report?.pages == 2)
    }

    @Test func limitsOnRequestsDoNotMatter() {
        let site = tangle(seed: 99)
        let wide = AuditRun.of(site, start: "http://site/docs/") { $0.perHost = 32 }
        let narrow = AuditRun.of(site, start: "http://site/docs/") { ($0.concurrency, $0.delay) = (1, 5) }
        #expect(wide.report == narrow.report)
        #expect(Set(wide.requests.map(\.url)) == Set(narrow.requests.map(\.url)))
    }
}
