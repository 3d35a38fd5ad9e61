import MobiusCore
import SiteAudit
import Testing

/// What may pass is tried again before a link is called broken.
@Suite struct RetryTests {
    private static func site(_ passing: [String: (count: Int, event: FakeSite.Received)] = [:]) -> FakeSite {
        var site = FakeSite()
        site.page("http://site/", ["a.html", "b.html", .image("c.png"), "gone.html"])
        site.page("http://site/a.html", ["/b.html"])
        site.page("http://site/b.html", ["/a.html"])
        site.file("http://site/c.png", "image/png")
        site.passing = passing
        return site
    }

    private static let passing: [(FakeSite.Received, times: Int)] = [
        (.failure(.connectionFailed), 3), (.failure(.brokenOff), 3), (.failure(.timedOut), 1),
        (.failure(.hostNotFound), 1), (.status(429), 3),
        (.status(502), 3), (.status(503), 3), (.status(503, retryAfter: 5), 3), (.status(504), 3), (.status(408), 3),
        (.status(429, retryAfter: .max), 3), (.status(503, retryAfter: .min), 3),
    ]

    @Test(arguments: passing.indices)
    func whatPassesIsNotReported(_ index: Int) throws {
        let (received, times) = Self.passing[index]
        let expected = try #require(AuditRun.of(Self.site()).report)
        #expect(expected.broken.map(\.link) == ["http://site/gone.html"])
        for url in ["robots.txt", "", "a.html", "b.html", "c.png"].map({ "http://site/\($0)" }) {
            for order: AuditRun.Order in [.firstFirst, .lastFirst, .shuffled(seed: 1), .shuffled(seed: 2)] {
                for limit in [nil, 100] {
                    let run = AuditRun.of(Self.site([url: (times, received)]), order: order) { $0.maxPages = limit }
                    #expect(run.report == expected, "\(url) \(order)")
                    #expect(run.requests.count { $0.url == url } == times + 1)
                }
            }
        }
        let all = ["", "a.html", "b.html", "c.png"].map { ("http://site/\($0)", (times, received)) }
        let site = Self.site(Dictionary(uniqueKeysWithValues: all.map { ($0.0, (count: $0.1.0, event: $0.1.1)) }))
        #expect(AuditRun.of(site).report == expected)
    }

    @Test func pausesGrowAndTheServersWishIsHonoured() {
        func pauses(_ received: FakeSite.Received) -> [Int] {
            AuditRun.of(Self.site(["http://site/a.html": (9, received)])).waits.map(\.milliseconds)
        }
        #expect(pauses(.status(503)) == [1_000, 2_000, 4_000])
        #expect(pauses(.status(503, retryAfter: 3)) == [3_000, 3_000, 4_000])
        #expect(pauses(.status(429, retryAfter: 86_400)) == [60_000, 60_000, 60_000])
        #expect(pauses(.failure(.brokenOff)) == [1_000, 2_000, 4_000])
        #expect(pauses(.failure(.timedOut)) == [], "it was waited for already")
        #expect(pauses(.status(500)) == [])
        #expect(pauses(.failure(.insecure)) == [])
    }

    @Test func whatStaysIsReportedInTheEnd() throws {
        let site = Self.site(["http://site/a.html": (9, .status(503)), "http://site/c.png": (9, .failure(.timedOut))])
        let report = try #require(AuditRun.of(site).report)
        #expect(
            Set(report.broken.map { "\($0.link): \($0.reason)" }) == [
                "http://site/a.html: service unavailable", "http://site/c.png: no answer within the time limit",
                "http://site/gone.html: not found",
            ])
    }

    @Test func aHostThatNeverAnswersIsAskedTwiceAtFirstAndThenOnce() {
        var site = FakeSite()
        site.page("http://site/", (0..<100).map { FakeSite.Link(written: "http://dead/\($0)") })
        for number in 0..<100 { site.failures["http://dead/\(number)"] = .timedOut }
        let run = AuditRun.of(site) { $0.checksExternal = true }
        #expect(run.report?.broken.count == 100)
        #expect(run.waits.isEmpty)
        let dead = run.requests.filter { $0.url.hasPrefix("http://dead/") }
        #expect(dead.prefix(100).allSatisfy { $0.retry == nil }, "what was not asked yet comes first")
        #expect(dead.count { $0.retry != nil } == 100)
        #expect(dead.allSatisfy { $0.retry ?? 0 <= 1 })
    }

    @Test func anAnswerThatBrokeOffHasItsOwnReason() {
        let site = Self.site(["http://site/a.html": (9, .failure(.brokenOff))])
        let broken = AuditRun.of(site).report?.broken
        #expect(broken?.first?.note == "the answer broke off before its end")
    }

    /// A retry waits without a slot: everything else is done meanwhile, and the answer that comes twice counts once.
    @Test func aRetryHoldsNoSlot() {
        var run = AuditRun(Self.site(["http://site/a.html": (1, .status(503))]))
        run.send(.auditRequested(AuditRun.request { ($0.concurrency, $0.perHost) = (1, 1) }))
        var urls: [String] = []
        while case .fetch(let request)? = run.pending.first {
            urls.append(request.url)
            let event = run.site.event(for: request)
            run.answerNext()
            #expect(run.send(event).effects.isEmpty, "an answer that comes twice")
            // The pause is the last to end.
            run.pending.sort { one, _ in if case .fetch = one { true } else { false } }
        }
        #expect(urls.count == 6 && run.mostInFlight == 1)
        #expect(run.report == nil)
        run.answerAll()
        #expect(run.report?.broken.map(\.link) == ["http://site/gone.html"])
        #expect(run.requests.count == 7)
    }

    @Test func anOriginThatTakesNoConnectionsIsGivenUpForGood() throws {
        var site = FakeSite()
        site.page("http://site/", (0..<500).map { FakeSite.Link(written: "http://dead/\($0)") })
        for number in 0..<500 { site.failures["http://dead/\(number)"] = .connectionFailed }
        let run = AuditRun.of(site) { $0.checksExternal = true }
        #expect(run.report?.broken.count == 500)
        // Each a second time, had it not been given up after five pauses of the whole origin.
        #expect(run.requests.count < 600)
        let pauses = run.waits.filter { $0.origin == "http://dead" }.map(\.milliseconds)
        #expect(pauses.count < 50 && pauses.reduce(0, +) < 120_000, "\(pauses)")
        #expect(pauses.contains(16_000))
    }
}
